"""Makes the data of cases/club.yml, all of them invented.

Nothing here was measured: no club or person is behind it. Members who live near, who came with
friends and who train often pay more in the bar and stay; the noise is large enough that a model
errs now and then.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import csv

SEED = 11
FOLDER = Path(__file__).parent


def main() -> None:
    """Writes the five files club_*.csv beside this one."""
    random = np.random.default_rng(SEED)
    members = _people(random, 1, 240)
    guests = _people(random, 1001, 60)
    waiting = _people(random, 2001, 40)
    payments = _payments(random, members)
    graded = members["member_id"][random.random(240) < 0.8]
    grades = {
        "graded_member": graded,
        "distance_km": random.integers(1, 30, len(graded)),
        "grade": random.choice(["white", "yellow", "green", "brown"], len(graded)),
    }
    tables = {"members": members, "guests": guests, "waiting": waiting}
    for name, columns in {**tables, "payments": payments, "grades": grades}.items():
        csv.write_csv(pa.table(columns), FOLDER / f"club_{name}.csv")


def _people(random: np.random.Generator, first: int, count: int) -> dict[str, Any]:
    age = random.integers(16, 70, count)
    distance = random.gamma(2.0, 5.0, count).round(1)
    visits = random.poisson(np.clip(9 - distance / 4, 1, None))
    course = random.choice(["judo", "yoga", "fencing"], count, p=[0.5, 0.3, 0.2])
    mood = 0.5 * visits - 0.15 * distance + (course == "judo") + random.normal(0, 1.0, count)
    return {
        "member_id": np.arange(first, first + count),
        "age": pa.array(age, mask=random.random(count) < 0.06),
        "distance_km": distance,
        "visits": visits,
        "course": pa.array(course, mask=random.random(count) < 0.05),
        "locker": random.integers(1, 400, count),
        "stayed": np.where(mood > 2.5, "yes", "no"),
    }


def _payments(random: np.random.Generator, members: dict[str, Any]) -> dict[str, Any]:
    counts = random.poisson(members["visits"] * 0.4)
    payer = np.repeat(members["member_id"], counts)
    price = 3 + 0.8 * np.repeat(members["visits"], counts)
    size = len(payer)
    return {
        "payment_id": np.arange(1, size + 1),
        "member_id": payer,
        "amount": (price * random.gamma(9.0, 1 / 9.0, size)).round(2),
        "refunded": np.where(random.random(size) < 0.05, "yes", "no"),
    }


if __name__ == "__main__":
    main()
