"""Makes the invented mails of mail.yml: how often each of sixty words occurs in a mail.

Twelve words are more frequent in the one class or in the other, four of them only a little; the
other words say nothing. Mails differ in length, so counts of all words go up and down together.
One row per mail; the file has no key, the case numbers the rows.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

MAILS = 1_600
SEED = 11
TELLING = {
    "free": 4.0, "offer": 3.0, "winner": 4.0, "credit": 2.5, "click": 3.0, "urgent": 1.6,
    "meeting": 0.3, "report": 0.35, "thanks": 0.4, "project": 0.3, "monday": 0.6, "office": 0.65,
}  # fmt: skip
SILENT = (
    "and", "the", "with", "from", "about", "time", "day", "week", "people", "house", "water",
    "music", "garden", "paper", "green", "table", "window", "street", "river", "bread",
    "coffee", "train", "number", "letter", "story", "light", "round", "small", "large",
    "north", "south", "first", "second", "third", "other", "under", "over", "again", "never",
    "always", "maybe", "early", "late", "left", "right", "near", "far", "open",
)  # fmt: skip


def main() -> None:
    """Writes mail.parquet beside this file."""
    rng = np.random.default_rng(SEED)
    spam = rng.random(MAILS) < 0.4
    length = rng.gamma(3.0, 0.35, MAILS)
    columns: dict[str, object] = {}
    for word in (*TELLING, *SILENT):
        rate = rng.uniform(0.15, 0.5)
        factor = np.where(
            spam, np.sqrt(TELLING.get(word, 1.0)), 1 / np.sqrt(TELLING.get(word, 1.0))
        )
        columns[word] = rng.poisson(rate * factor * length).astype(np.int16)
    columns["kind"] = np.where(spam, "spam", "ham")
    pq.write_table(pa.table(columns), Path(__file__).with_name("mail.parquet"))


if __name__ == "__main__":
    main()
