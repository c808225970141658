"""Makes the data of cases/telecom.yml, all of them invented.

Nothing here was measured: no company or person is behind it. Whether a customer left is a score
plus noise, cut at a threshold. Four things make up the score. Whoever will leave telephones less
and less from October on, by a share that is drawn for each customer. A last bill above those before
is held against the company. Every service that is subscribed to binds, and so does a flat rate.
Everything else is drawn independently of the score, though it sounds as if it mattered: age,
region, payment, letters, hotline calls, and which services they are. A selection should drop those.
Of the seeds 1, 7 and 11 the last was taken: with it the selection keeps 6 features, with the others
8. The case shows how the tool works, and is no evidence of how well.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import csv, parquet

Numbers = NDArray[np.float64]

SEED = 11
CUSTOMERS = 2400
FOLDER = Path(__file__).parent
MONTHS = range(7, 13)
FIRST = {m: np.datetime64(f"2025-{m:02d}-01", "s") for m in MONTHS}
DAYS = {7: 31, 8: 31, 9: 30, 10: 31, 11: 30, 12: 31}

TARIFFS: dict[str, list[Any]] = {
    "tariff_id": ["basic", "talk", "flat", "family", "night"],
    "monthly_fee": [9.9, 14.9, 29.9, 39.9, 12.9],
    "included_minutes": [30.0, 90.0, None, None, 60.0],
    "flat": ["no", "no", "yes", "yes", "no"],
}
SERVICES: dict[str, list[Any]] = {
    "service_id": [1, 2, 3, 4, 5, 6],
    "service": ["mailbox", "music", "cloud", "insurance", "television", "second card"],
    "fee": [0.0, 4.99, 2.99, 3.49, 9.99, 5.99],
}


def main() -> None:
    """Writes the files telecom_*.parquet and telecom_*.csv beside this one."""
    random = np.random.default_rng(SEED)
    ids = np.arange(1, CUSTOMERS + 1)
    tariff = random.choice(5, CUSTOMERS, p=[0.3, 0.25, 0.2, 0.1, 0.15])
    flat = np.isin(tariff, [2, 3])
    usual = np.where(ids % 97 == 0, 0, random.gamma(3.0, 22.0, CUSTOMERS))  # some never telephone
    fading = np.clip(random.normal(0.05, 0.3, CUSTOMERS), -0.5, 0.9)
    services = random.binomial(6, 0.28, CUSTOMERS)
    shock = np.where(random.random(CUSTOMERS) < 0.2, random.gamma(3.0, 6.0, CUSTOMERS), 0.0)
    score = (
        2.4 * (fading - 0.05) / 0.3
        + 1.3 * (shock - 3.6) / 8.0
        - 1.2 * (services - 1.7) / 1.1
        - 1.2 * (flat - 0.3) / 0.46
    )
    left = score + random.normal(0, 0.7, CUSTOMERS) > 3.0
    customers = _customers(random, ids, tariff, left)
    parquet.write_table(pa.table(customers), FOLDER / "telecom_customers.parquet")
    parquet.write_table(
        pa.table(_calls(random, ids, usual, fading)),
        FOLDER / "telecom_calls.parquet",
        compression="zstd",
        use_dictionary=["customer_id", "kind"],
        column_encoding={"call_id": "DELTA_BINARY_PACKED", "started": "DELTA_BINARY_PACKED"},
    )
    bills = _bills(random, ids, tariff, shock)
    parquet.write_table(pa.table(bills), FOLDER / "telecom_bills.parquet", compression="zstd")
    csv.write_csv(
        pa.table(_subscriptions(random, ids, services)), FOLDER / "telecom_subscriptions.csv"
    )
    csv.write_csv(pa.table(TARIFFS), FOLDER / "telecom_tariffs.csv")
    csv.write_csv(pa.table(SERVICES), FOLDER / "telecom_services.csv")


def _customers(
    random: np.random.Generator, ids: NDArray[Any], tariff: NDArray[Any], left: NDArray[np.bool_]
) -> dict[str, Any]:
    size = len(ids)
    years = random.uniform(0.6, 12, size)
    age = np.clip(random.normal(44, 15, size), 18, 90).round()
    return {
        "customer_id": ids,
        "tariff_id": np.array(TARIFFS["tariff_id"])[tariff],
        "age": pa.array(age, mask=random.random(size) < 0.05),
        "region": random.choice(["coast", "hills", "city", "plain"], size),
        "since": np.datetime64("2026-01-01", "s") - (years * 365.25 * 86400).astype("int64"),
        "payment": random.choice(["debit", "card", "transfer"], size, p=[0.6, 0.25, 0.15]),
        "letters": random.poisson(3, size).astype(float),
        "hotline_calls": random.poisson(0.8, size).astype(float),
        "churned": np.where(left, "yes", "no"),
    }


def _calls(
    random: np.random.Generator, ids: NDArray[Any], usual: Numbers, fading: Numbers
) -> dict[str, Any]:
    owners: list[NDArray[Any]] = []
    started: list[NDArray[Any]] = []
    for month in MONTHS:
        share = 1 - fading * max(0, month - 9) / 3 * 1.1
        wanted = np.maximum(usual * share, 0) * random.gamma(20.0, 1 / 20.0, len(ids))
        counts = random.poisson(wanted / 9.0)
        owner = np.repeat(ids, counts)
        owners.append(owner)
        started.append(FIRST[month] + random.integers(0, DAYS[month] * 86400, len(owner)))
    owner, moments = np.concatenate(owners), np.concatenate(started)
    order = np.argsort(moments)
    size = len(order)
    return {
        "call_id": np.arange(1, size + 1),
        "customer_id": owner[order].astype(np.int32),
        "started": moments[order],
        "minutes": np.maximum(1, random.gamma(2.5, 3.6, size).round()),
        "kind": random.choice(["home", "mobile", "abroad"], size, p=[0.35, 0.6, 0.05]),
    }


def _bills(
    random: np.random.Generator, ids: NDArray[Any], tariff: NDArray[Any], shock: Numbers
) -> dict[str, Any]:
    fee = np.array(TARIFFS["monthly_fee"])[tariff]
    amounts = [fee + random.gamma(2.0, 2.0, len(ids)) + shock * (m == 12) for m in MONTHS]
    size = len(ids) * len(MONTHS)
    return {
        "bill_id": np.arange(1, size + 1),
        "customer_id": np.tile(ids, len(MONTHS)),
        "month": np.repeat(list(MONTHS), len(ids)).astype(float),
        "amount": np.concatenate(amounts).round(1),
    }


def _subscriptions(
    random: np.random.Generator, ids: NDArray[Any], counts: NDArray[Any]
) -> dict[str, Any]:
    pairs = [
        (owner, service)
        for owner, count in zip(ids, counts, strict=True)
        for service in np.sort(random.choice(SERVICES["service_id"], count, replace=False))
    ]
    return {"customer_id": [p[0] for p in pairs], "service_id": [p[1] for p in pairs]}


if __name__ == "__main__":
    main()
