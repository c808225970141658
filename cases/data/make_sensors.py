"""Makes the invented machines of sensors.yml: what their sensors read, and what went wrong.

Five kinds of sensors have four of each. A worn machine is hotter and shakes more, a little in each
of these sensors; loudness, current and pressure say nothing. A machine jams when speed and load do
not fit each other, that is, when the one is high and the other low: neither tells by itself, nor do
seven settings beside them. `speed_display` and `load_display` repeat speed and load, rounded. The
clock of a drifting machine runs now ahead and now behind, and is right on average. Some readings of
the pressure are missing.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

MACHINES, SEED = 700, 17
KINDS = ("temperature", "vibration", "loudness", "current", "pressure")
SETTINGS = ("feed", "angle", "coolant", "torque", "stroke", "tilt", "gap")


def main() -> None:
    """Writes sensors.parquet beside this file."""
    rng = np.random.default_rng(SEED)
    worn = rng.random(MACHINES) < 0.4
    columns: dict[str, object] = {"machine": np.arange(1, MACHINES + 1)}
    for kind in KINDS:
        common = rng.normal(0.0, 0.7, MACHINES)
        telling = 0.9 * worn if kind in KINDS[:2] else np.zeros(MACHINES)
        for i in range(1, 5):
            read = telling + common + rng.normal(0.0, 1.0, MACHINES)
            missing = (rng.random(MACHINES) < 0.01) & (kind == "pressure")
            columns[f"{kind}_{i}"] = pa.array(read.round(3), mask=missing)
    speed, load = rng.normal(0.0, 1.0, (2, MACHINES))
    jammed = speed * load + rng.normal(0.0, 0.15, MACHINES) < 0
    columns |= {"speed": speed.round(3), "load": load.round(3)}
    columns |= {"speed_display": speed.round(0), "load_display": load.round(0)}
    columns |= {name: rng.normal(0.0, 1.0, MACHINES).round(3) for name in SETTINGS}
    drifting = rng.random(MACHINES) < 0.5
    columns["clock"] = (rng.normal(0.0, 1.0, MACHINES) * np.where(drifting, 4.0, 1.0)).round(3)
    columns["worn"] = np.where(worn, "yes", "no")
    columns["jammed"] = np.where(jammed, "yes", "no")
    columns["drifting"] = np.where(drifting, "yes", "no")
    pq.write_table(pa.table(columns), Path(__file__).with_name("sensors.parquet"))


if __name__ == "__main__":
    main()
