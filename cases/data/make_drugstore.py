"""Makes the invented sales of drugstore.yml.

Nothing here was measured. Four shops sell six items, and a row says how many of an item a shop sold
in a week. Sun milk sells in summer and cough syrup in winter, the others all year; a promotion adds
two fifths in its week. From 2 June 2025 on the street before the shop at the harbour is dug up, for
sixteen weeks, and it sells little more than half. Some weeks were not counted. What the weather was
like depends on the season, and was not always written down.
"""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

WEEKS, SEED = 104, 31
SHOPS = {"harbour": 1.3, "market": 1.0, "mill": 0.7, "station": 1.6}
# how many a week, and how much more in summer
ITEMS = {
    "cough syrup": (60.0, -0.8),
    "plasters": (40.0, 0.1),
    "shampoo": (90.0, 0.0),
    "soap": (120.0, 0.0),
    "sun milk": (50.0, 0.9),
    "toothpaste": (100.0, 0.0),
}
FIRST_MONDAY = date(2024, 1, 1)
DUG_UP = (74, 90)  # weeks
WEATHER = ("frost", "rain", "sun")


def main() -> None:
    """Writes drugstore_sales.parquet beside this file."""
    random = np.random.default_rng(SEED)
    season = -np.cos(2 * np.pi * (np.arange(WEEKS) - 3) / 52.18)  # 1 in July, -1 in January
    weather = [WEATHER[_weather(s, random)] for s in season]
    rows: dict[str, list[object]] = {
        name: [] for name in ("shop", "item", "week", "promotion", "weather", "sold")
    }
    for shop, size in SHOPS.items():
        for item, (usual, summer) in ITEMS.items():
            promoted = random.random(WEEKS) < 0.1
            level = usual * size * (1 + summer * season)
            level = level * np.where(promoted, 1.4, 1.0)
            if shop == "harbour":
                level[DUG_UP[0] : DUG_UP[1]] *= 0.55
            sold = (level * random.normal(1, 0.06, WEEKS)).round(0)
            for week in range(WEEKS):
                rows["shop"].append(shop)
                rows["item"].append(item)
                rows["week"].append(FIRST_MONDAY + timedelta(weeks=week))
                rows["promotion"].append("yes" if promoted[week] else "no")
                rows["weather"].append(weather[week] if random.random() < 0.8 else None)
                rows["sold"].append(sold[week] if random.random() < 0.98 else None)
    table = {
        "sale_id": pa.array(range(1, len(rows["sold"]) + 1)),
        **{name: pa.array(values) for name, values in rows.items()},
    }
    pq.write_table(pa.table(table), Path(__file__).with_name("drugstore_sales.parquet"))


def _weather(season: float, random: np.random.Generator) -> int:
    return int(np.clip(np.rint(1 + season + random.normal(0, 0.3)), 0, 2))


if __name__ == "__main__":
    main()
