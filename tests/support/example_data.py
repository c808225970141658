"""The concepts that operator examples and tests speak of, with a few rows each."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

CONCEPTS = """
concepts:
  Customer:
    key: customer_id
    features:
      customer_id: key
      age: numeric
      income: numeric
      household: numeric
      region: nominal
      since: time
      lapsed: binary
  Claim:
    key: claim_id
    features: {claim_id: key, customer_id: key, amount: numeric, filed: time, kind: nominal}
  Rating:
    key: rated_customer
    features: {rated_customer: key, income: numeric, grade: nominal}
  Prospect:
    key: customer_id
    features:
      customer_id: key
      age: numeric
      income: numeric
      household: numeric
      region: nominal
      since: time
      lapsed: binary
  Scored:
    key: customer_id
    features: {customer_id: key, lapsed: binary, risk: numeric, risk_label: binary}

relations:
  claims_of: {from: Claim.customer_id, to: Customer.customer_id}
"""

# An n:m relation, for the examples of operators only.
SHOP = """
concepts:
  Product:
    key: product_id
    features: {product_id: key, price: numeric, category: nominal}
  Purchase:
    key: purchase_id
    features: {purchase_id: key, customer_id: key, product_id: key}

relations:
  bought:
    from: Customer.customer_id
    to: Product.product_id
    through: [Purchase.customer_id, Purchase.product_id]
"""

CONNECT = """
connect:
  store: duckdb:///store.duckdb
  concepts:
    Customer: {file: Customer.parquet}
    Claim: {file: Claim.parquet}
    Rating: {file: Rating.parquet}
    Prospect: {file: Prospect.parquet}
    Scored: {file: Scored.parquet}
"""


def tables(rows: int = 60, seed: int = 0) -> dict[str, pa.Table]:
    """Makes the rows of every concept; some values are missing."""
    rng = np.random.default_rng(seed)
    customer = _people(rng, np.arange(1, rows + 1))
    ids = np.arange(1, rows + 1)
    claims = rows * 2
    risk = rng.normal(size=rows).round(1)
    return {
        "Customer": customer,
        "Prospect": _people(rng, np.arange(1001, 1001 + rows // 2)),
        "Claim": pa.table(
            {
                "claim_id": np.arange(1, claims + 1),
                "customer_id": rng.integers(1, rows, claims),
                "amount": _holes(rng, rng.gamma(2.0, 100.0, claims).round(2)),
                "filed": np.datetime64("2025-01-01", "s") + rng.integers(0, 10**7, claims),
                "kind": [["glass", "theft", None, "glass", "water"][i % 5] for i in range(claims)],
            }
        ),
        "Rating": pa.table(
            {
                "rated_customer": ids[ids % 3 != 0],
                "income": rng.normal(50_000, 9_000, len(ids[ids % 3 != 0])).round(0),
                "grade": rng.choice(["A", "B", "C"], len(ids[ids % 3 != 0])),
            }
        ),
        "Scored": pa.table(
            {
                "customer_id": ids,
                "lapsed": customer["lapsed"],
                "risk": _holes(rng, risk),
                "risk_label": np.where(risk > 0, "yes", "no"),
            }
        ),
    }


def shop(rows: int = 60) -> dict[str, pa.Table]:
    """Makes products, and who bought them: most customers some, one of them one twice."""
    return {
        "Product": pa.table(
            {
                "product_id": [1, 2, 3, 4],
                "price": [9.5, 20.0, None, 1.25],
                "category": ["a", "b", "a", None],
            }
        ),
        "Purchase": pa.table(
            {
                "purchase_id": np.arange(1, rows + 2),
                "customer_id": [*(i * 7 % rows // 2 + 1 for i in range(rows)), 1],
                "product_id": [*(i % 5 + 1 for i in range(rows)), 1],  # there is no product 5
            }
        ),
    }


def write(folder: Path, data: dict[str, pa.Table]) -> None:
    """Writes tables as Parquet files."""
    for name, table in data.items():
        pq.write_table(table, folder / f"{name}.parquet")


def _people(rng: np.random.Generator, ids: np.ndarray[tuple[int], np.dtype[np.int64]]) -> pa.Table:
    n = len(ids)
    age = rng.integers(18, 90, n).astype(float)
    household = rng.integers(1, 6, n).astype(float)
    lapsed = np.where(age / 30 - household + rng.normal(0, 0.7, n) > -0.5, "yes", "no")
    return pa.table(
        {
            "customer_id": ids,
            "age": age,
            "income": _holes(rng, rng.normal(40_000, 12_000, n).round(0)),
            "household": household,
            "region": pa.array(
                [
                    None if i % 11 == 5 else r
                    for i, r in enumerate(rng.choice(["north", "south", "east"], n))
                ]
            ),
            "since": np.datetime64("2015-01-01", "s") + rng.integers(0, 3 * 10**8, n),
            "lapsed": lapsed,
        }
    )


def _holes(
    rng: np.random.Generator, values: np.ndarray[tuple[int], np.dtype[np.float64]]
) -> pa.Array:
    return pa.array(values, mask=rng.random(len(values)) < 0.1)
