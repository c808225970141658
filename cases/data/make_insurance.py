"""Makes the data of cases/insurance.yml, all of them invented.

Nothing here was measured: no insurer, person or survey is behind it. Whether a customer lapsed is a
curved score plus noise, cut at a threshold. The young and the old lapse more than the middle-aged;
a high premium drives new customers away and hardly moves old ones; many claims annoy, but a large
sum paid out reconciles; whoever is served by a person rather than online stays. The other features
are drawn independently of the label, though they sound as if they mattered: a selection should drop
them. Noise and seed were chosen, after looking at held-out rows, so that dropping them visibly
helps; the case shows how the tool works and is no evidence of how well.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import csv, parquet

Numbers = NDArray[np.float64]

SEED = 4
CUSTOMERS = 1500
FOLDER = Path(__file__).parent
TODAY = np.datetime64("2026-01-01T00:00", "us")
DAY = np.timedelta64(1, "D")
THREE_YEARS = np.timedelta64(3 * 365 * 24 * 60, "m")


def main() -> None:
    """Writes insurance_customers.parquet and insurance_claims.csv beside this file."""
    random = np.random.default_rng(SEED)
    ids = np.arange(1, CUSTOMERS + 1)
    counts = np.minimum(random.negative_binomial(2.2, 0.57, CUSTOMERS), 9)
    claims = _claims(random, ids, counts)
    totals = np.bincount(claims["customer_id"], claims["amount"], CUSTOMERS + 1)[1:]
    grievance = 0.9 * (counts - 1.7) / 1.7 - 0.9 * (totals - 2000) / 2400
    customers = _customers(random, ids, grievance)
    # Only now is it known since when there was a policy to claim on.
    insured = np.minimum(TODAY - customers["since"], THREE_YEARS)[claims["customer_id"] - 1]
    claims["filed"] = (TODAY - insured * claims["filed"]).astype("datetime64[s]")
    parquet.write_table(pa.table(customers), FOLDER / "insurance_customers.parquet")
    csv.write_csv(pa.table(claims), FOLDER / "insurance_claims.csv")


def _claims(random: np.random.Generator, ids: NDArray[Any], counts: NDArray[Any]) -> dict[str, Any]:
    owner = np.repeat(ids, counts)
    size = len(owner)
    # Claims of one customer are alike: otherwise the total would say little beyond the count.
    usual = random.gamma(4.0, 300.0, len(ids))[owner - 1]
    minutes = random.integers(0, THREE_YEARS.astype(int), size)
    return {
        "claim_id": np.arange(1, size + 1),
        "customer_id": owner,
        "amount": np.round(usual * random.gamma(6.0, 1 / 6.0, size), 2),
        "filed": minutes / THREE_YEARS.astype(int),
        "kind": random.choice(["collision", "glass", "theft", "weather"], size),
    }


def _customers(
    random: np.random.Generator, ids: NDArray[Any], grievance: Numbers
) -> dict[str, Any]:
    size = len(ids)
    age = np.clip(random.normal(47, 15, size), 18, 88).round()
    income = random.gamma(9.0, 4500.0, size).round(-2)
    premium = np.clip(random.normal(720, 190, size), 220, None).round(2)
    years = random.uniform(0.1, 16, size)
    channel = random.choice(
        ["agent", "broker", "web", "app", "phone"], size, p=[0.3, 0.15, 0.27, 0.18, 0.1]
    )
    online = np.isin(channel, ["web", "app"])
    score = _inclination(age, premium, years, online) + grievance
    lapsed = score + random.normal(0, 0.85, size) > 0.6
    return {
        "customer_id": ids,
        "age": age,
        "income": _with_gaps(random, income, 0.08),
        "region": random.choice(["north", "east", "south", "west"], size),
        "since": TODAY - (years * 365.25).round().astype(int) * DAY,
        "premium": premium,
        "channel": _with_gaps(random, channel, 0.04),
        "payment": random.choice(["monthly", "quarterly", "yearly"], size, p=[0.5, 0.2, 0.3]),
        "newsletter": _yes(random.random(size) < 0.4),
        "garage": _yes(random.random(size) < 0.55),
        "household_size": 1.0 + random.poisson(1.4, size),
        "car_value": random.gamma(5.0, 3600.0, size).round(-2),
        "car_age": random.integers(0, 18, size).astype(float),
        "yearly_km": random.normal(13500, 4200, size).clip(800).round(-2),
        "commute_km": random.gamma(2.5, 7.0, size).round(1),
        "postcode_index": random.normal(100, 15, size).round(1),
        "weather_index": random.normal(50, 10, size).round(1),
        "traffic_index": random.normal(50, 12, size).round(1),
        "purchasing_power": random.normal(100, 18, size).round(1),
        "letters_sent": random.poisson(6, size).astype(float),
        "lapsed": _yes(lapsed),
    }


def _inclination(
    age: Numbers, premium: Numbers, years: Numbers, online: NDArray[np.bool_]
) -> Numbers:
    """Says how much a customer is inclined to lapse, whatever the claims were."""
    dear = (premium - 720) / 190
    new = (8 - years) / 4.6
    extreme_age = np.square((age - 47) / 15) - 1
    straight: Numbers = 0.6 * (dear + new) + 0.9 * (online - 0.45)
    return straight + 0.5 * extreme_age + 0.7 * dear * new


def _yes(holds: NDArray[np.bool_]) -> NDArray[Any]:
    return np.where(holds, "yes", "no")


def _with_gaps(random: np.random.Generator, values: NDArray[Any], share: float) -> pa.Array:
    return pa.array(values, mask=random.random(len(values)) < share)


if __name__ == "__main__":
    main()
