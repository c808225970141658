"""Makes the invented apples of fruit.yml: what a camera and a scale measure of each.

Four sorts differ in weight, redness and roundness, and overlap a little. The scale sticks now and
then, so that some weights are missing. One in fifty things on the belt is a stone or a leaf. Nobody
has labelled these; they have the sort that the camera took them for.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

APPLES, SEED = 1_200, 23
SORTS = ("Boskoop", "Elstar", "Gala", "Topaz")
WEIGHT = np.array([230.0, 160.0, 140.0, 170.0])
REDNESS = np.array([0.35, 0.55, 0.75, 0.65])
ROUNDNESS = np.array([0.80, 0.90, 0.93, 0.86])


def main() -> None:
    """Writes fruit.parquet beside this file."""
    rng = np.random.default_rng(SEED)
    sort = rng.integers(0, len(SORTS), APPLES)
    weight = WEIGHT[sort] + rng.normal(0.0, 16.0, APPLES)
    redness = np.clip(REDNESS[sort] + rng.normal(0.0, 0.07, APPLES), 0.0, 1.0)
    roundness = np.clip(ROUNDNESS[sort] + rng.normal(0.0, 0.025, APPLES), 0.0, 1.0)
    strange = rng.random(APPLES) < 0.02
    weight[strange] = rng.uniform(20.0, 500.0, strange.sum())
    redness[strange] = rng.uniform(0.0, 0.2, strange.sum())
    roundness[strange] = rng.uniform(0.2, 0.7, strange.sum())
    columns = {
        "apple": np.arange(1, APPLES + 1),
        "weight": pa.array(weight.round(1), mask=rng.random(APPLES) < 0.03),
        "redness": redness.round(3),
        "roundness": roundness.round(3),
        "belt": rng.choice(["left", "right"], APPLES),
        "sort": [SORTS[i] for i in sort],
    }
    pq.write_table(pa.table(columns), Path(__file__).parent / "fruit.parquet")


if __name__ == "__main__":
    main()
