"""Makes the invented orders of pharmacy.yml.

Nothing here was measured. Old people who live far off and order in bad weather want their order
delivered, one in six; prices are skewed, a few orders cost nothing. The insurer depends on district
and age; four insurers have nearly everybody, a dozen have a few customers each. Some orders were
typed in twice, under two numbers.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

ORDERS, TWICE, SEED = 1_200, 40, 23
DISTRICTS = ("old town", "harbour", "station", "hill", "mill")
LARGE = ("Aurum", "Borealis", "Cura", "Delphi")
SMALL = tuple(f"Fund {i}" for i in range(1, 13))


def main() -> None:
    """Writes pharmacy.parquet beside this file."""
    random = np.random.default_rng(SEED)
    orders = _orders(random)
    twice = random.choice(ORDERS, TWICE, replace=False)
    rows = np.concatenate([np.arange(ORDERS), twice])
    table = pa.table(orders).take(pa.array(rows))
    numbers = pa.array(np.arange(1, ORDERS + TWICE + 1))
    path = Path(__file__).with_name("pharmacy.parquet")
    pq.write_table(table.add_column(0, "order_id", numbers), path)


def _orders(random: np.random.Generator) -> dict[str, Any]:
    minutes = random.integers(0, 365 * 24 * 60, ORDERS)
    ordered = np.datetime64("2025-01-01T00:00:00", "s") + minutes * 60
    age = np.clip(random.normal(52, 19, ORDERS), 16, 97).round(0)
    district = random.integers(0, len(DISTRICTS), ORDERS)
    distance = (random.gamma(2.0, 1.2, ORDERS) + district / 2).round(2)
    season = np.cos(minutes / (365 * 24 * 60) * 2 * np.pi)
    temperature = (11 - 10 * season + random.normal(0, 3, ORDERS)).round(1)
    items = 1 + random.poisson(1.5 + age / 40)
    free = random.random(ORDERS) < 0.03
    amount = np.where(free, 0.0, items * random.lognormal(2.2, 1.1, ORDERS)).round(2)
    payment = random.choice(["card", "cash", "invoice"], ORDERS, p=[0.55, 0.3, 0.15])
    mood = 0.05 * age + 0.5 * distance - 0.12 * temperature + random.normal(0, 0.8, ORDERS)
    return {
        "ordered_at": pa.array(ordered, mask=random.random(ORDERS) < 0.02),
        "age": pa.array(age, mask=random.random(ORDERS) < 0.08),
        "district": pa.array(np.array(DISTRICTS)[district]),
        "distance_km": distance,
        "temperature": temperature,
        "items": items.astype(float),
        "amount": amount,
        "payment": pa.array(payment, mask=random.random(ORDERS) < 0.07),
        "insurer": pa.array(_insurers(random, district, age), mask=random.random(ORDERS) < 0.1),
        "note": pa.array(np.full(ORDERS, "fragile"), mask=random.random(ORDERS) < 0.85),
        "delivered": np.where(mood > np.quantile(mood, 5 / 6), "yes", "no"),
    }


def _insurers(
    random: np.random.Generator, district: np.ndarray[Any, Any], age: np.ndarray[Any, Any]
) -> np.ndarray[Any, Any]:
    usual = np.where(age > 60, 0, np.where(district < 2, 1, 2))
    usual = np.where(random.random(ORDERS) < 0.15, 3, usual)
    small = random.choice(SMALL, ORDERS)
    return np.where(random.random(ORDERS) < 0.06, small, np.array(LARGE)[usual])


if __name__ == "__main__":
    main()
