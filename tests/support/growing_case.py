"""A small case with comments, to which tables are added, and whose data change shape."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Any

import yaml

CASE = """\
# Written by hand.
case: growing
concepts:
  Customer:      # those who buy
    key: customer_id
    features:
      customer_id: key
      age: numeric          # in years
      city: nominal
      # phone is left out: nobody answers
  Order:
    key: order_id
    features: {order_id: key, customer_id: key, amount: numeric}

relations:
  # every order has a customer
  orders_of: {from: Order.customer_id, to: Customer.customer_id}

steps:
  # keep adults
  adults: {operator: RowSelectionByQuery, input: Customer, where: age >= 18}

connect:
  store: duckdb:///growing.duckdb    # made by the first run
  concepts:
    Customer: {file: data/customers.csv}
    Order:
      file: data/orders.csv
"""
CUSTOMERS = "customer_id,age,city,phone\n" + "".join(
    f"{i},{i % 60 + 10},{'abc'[i % 3]},0{i}\n" for i in range(1, 61)
)
ORDERS = "order_id,customer_id,amount\n" + "".join(
    f"{1000 + i},{i % 60 + 1},{i}.5\n" for i in range(120)
)
REFUNDS = "refund_id,order_id,reason\n" + "".join(
    f"r{i},{1000 + i if i else 9999},{'xyz'[i % 3]}\n" for i in range(40)
)


def growing(folder: Path, case: str = CASE) -> Path:
    """Writes the case and its data, and a file beside them that may be added."""
    home = folder / "shop"
    (home / "data").mkdir(parents=True)
    (home / "data" / "customers.csv").write_text(CUSTOMERS)
    (home / "data" / "orders.csv").write_text(ORDERS)
    (folder / "refunds.csv").write_text(REFUNDS)
    path = home / "growing.yml"
    path.write_bytes(case.encode())
    return path


def said(path: Path) -> dict[str, Any]:
    """Returns what a file says."""
    return dict(yaml.safe_load(path.read_text(encoding="utf-8")))


def contents(folder: Path) -> dict[str, bytes]:
    """Returns the contents of all files of a folder."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def removed_lines(before: str, after: str) -> list[str]:
    """Returns lines that are no longer there, in order."""
    compared = difflib.unified_diff(before.splitlines(), after.splitlines(), n=0)
    return [line[1:] for line in compared if line.startswith("-") and not line.startswith("---")]
