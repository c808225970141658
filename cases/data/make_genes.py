"""Makes the invented genes of genes.yml: few tissues, many genes, as from a micro-array.

Of 120 genes six indicate the tumour, each a little and with separate noise; the other genes vary
without meaning. With 80 tissues some of those look telling by chance.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

TISSUES, GENES, TELLING, SEED = 80, 120, 6, 3


def main() -> None:
    """Writes genes.parquet beside this file."""
    rng = np.random.default_rng(SEED)
    tumour = rng.random(TISSUES) < 0.5
    level = rng.normal(0.0, 1.0, (TISSUES, GENES))
    level[:, :TELLING] += np.where(tumour, 0.9, -0.9)[:, np.newaxis]
    columns: dict[str, object] = {"tissue": np.arange(1, TISSUES + 1)}
    columns.update((f"gene_{i + 1:03}", level[:, i].round(4)) for i in range(GENES))
    columns["state"] = np.where(tumour, "tumour", "normal")
    pq.write_table(pa.table(columns), Path(__file__).with_name("genes.parquet"))


if __name__ == "__main__":
    main()
