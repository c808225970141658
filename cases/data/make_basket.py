"""Makes the invented receipts of basket.yml.

Nothing here was measured. A receipt has some of thirty articles, each bought by itself now and
then. Three habits are hidden: who buys pasta and tomatoes mostly takes basil along, who buys
charcoal takes sausages, and who buys tea takes honey every other time. One receipt in six has
something organic on it; of people below 35 in the university quarter it is two in three, and of
those at the station in the evening nearly half.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

RECEIPTS, SEED = 2_000, 17
ARTICLES = (
    "apples",
    "bananas",
    "basil",
    "beer",
    "bread",
    "butter",
    "carrots",
    "charcoal",
    "cheese",
    "chocolate",
    "coffee",
    "crisps",
    "eggs",
    "flour",
    "honey",
    "juice",
    "milk",
    "mustard",
    "onions",
    "pasta",
    "potatoes",
    "rice",
    "salad",
    "salt",
    "sausages",
    "soap",
    "sugar",
    "tea",
    "tomatoes",
    "yoghurt",
)
HABITS = (
    (("pasta", "tomatoes"), "basil", 0.8),
    (("charcoal",), "sausages", 0.75),
    (("tea",), "honey", 0.5),
)
OFTEN = {"pasta": 0.25, "tomatoes": 0.25, "tea": 0.15, "charcoal": 0.1, "basil": 0.03}
QUARTERS = ("harbour", "old town", "station", "university")


def main() -> None:
    """Writes basket_lines.parquet and basket_receipts.parquet beside this file."""
    random = np.random.default_rng(SEED)
    liked = np.clip(random.gamma(2.0, 0.06, len(ARTICLES)), 0.02, 0.35)
    for name, share in OFTEN.items():
        liked[ARTICLES.index(name)] = share
    receipt: list[int] = []
    article: list[str] = []
    for number in range(1, RECEIPTS + 1):
        bought = {a for a, share in zip(ARTICLES, liked, strict=True) if random.random() < share}
        for before, after, share in HABITS:
            if bought.issuperset(before) and random.random() < share:
                bought.add(after)
        for name in sorted(bought):
            receipt.append(number)
            article.append(name)
    lines = {"line_id": range(1, len(receipt) + 1), "receipt_id": receipt, "article": article}
    folder = Path(__file__).parent
    table = pa.table({name: pa.array(values) for name, values in lines.items()})
    pq.write_table(table, folder / "basket_lines.parquet")
    pq.write_table(_receipts(random), folder / "basket_receipts.parquet")


def _receipts(random: np.random.Generator) -> pa.Table:
    age = random.integers(18, 85, RECEIPTS).astype(float)
    quarter = random.choice(QUARTERS, RECEIPTS)
    hour = random.integers(8, 21, RECEIPTS).astype(float)
    paid = random.choice(["card", "cash"], RECEIPTS, p=[0.6, 0.4])
    chance = np.full(RECEIPTS, 0.1)
    chance[(quarter == "station") & (hour >= 17)] = 0.45
    chance[(quarter == "university") & (age < 35)] = 0.67
    organic = np.where(random.random(RECEIPTS) < chance, "yes", "no")
    return pa.table(
        {
            "receipt_id": np.arange(1, RECEIPTS + 1),
            "age": pa.array(age, mask=random.random(RECEIPTS) < 0.05),
            "quarter": quarter,
            "hour": hour,
            "paid": paid,
            "organic": organic,
        }
    )


if __name__ == "__main__":
    main()
