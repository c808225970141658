"""Makes the invented fields of fields.yml: what is known of each, and whether the harvest was good.

What helps depends on the soil. On sand it is rain and nitrogen; on clay rain does harm, and
drainage helps; on loam only the acidity counts. A few fields are peat. Slope and stones never
matter. Some acidities were not measured. The fields lie at the coast, in the plain and in the
hills, where warmth and altitude differ.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

FIELDS, SEED = 2_400, 41
SOILS = ("sand", "clay", "loam", "peat")
ACIDITY = np.array([5.5, 7.0, 6.3, 4.5])
TEMPERATURE = np.array([9.5, 11.5, 7.5])
ALTITUDE = np.array([10.0, 120.0, 480.0])


def main() -> None:
    """Writes fields.parquet beside this file."""
    rng = np.random.default_rng(SEED)
    soil = rng.choice(len(SOILS), FIELDS, p=[0.45, 0.35, 0.185, 0.015])
    place = rng.choice(len(ALTITUDE), FIELDS, p=[0.3, 0.45, 0.25])
    rain, nitrogen, drainage, stones, slope = rng.normal(size=(5, FIELDS))
    acidity = ACIDITY[soil] + rng.normal(0.0, 0.5, FIELDS)
    effect = np.choose(
        soil,
        [
            1.6 * rain + 1.2 * nitrogen,
            -1.8 * rain + 1.2 * drainage,
            3.0 * (acidity - ACIDITY[2]),
            drainage,
        ],
    )
    good = effect + rng.normal(0.0, 0.7, FIELDS) > 0
    columns = {
        "field": np.arange(1, FIELDS + 1),
        "soil": [SOILS[i] for i in soil],
        "rain": (600 + 120 * rain).round(),
        "nitrogen": (80 + 20 * nitrogen).round(),
        "drainage": (50 + 15 * drainage).round(1),
        "acidity": pa.array(acidity.round(1), mask=rng.random(FIELDS) < 0.08),
        "stones": (10 + 3 * stones).round(1),
        "slope": np.abs(4 * slope).round(1),
        "temperature": (TEMPERATURE[place] + rng.normal(0.0, 0.4, FIELDS)).round(1),
        "altitude": (ALTITUDE[place] * rng.lognormal(0.0, 0.08, FIELDS)).round(),
        "good": np.where(good, "yes", "no"),
    }
    pq.write_table(pa.table(columns), Path(__file__).parent / "fields.parquet")


if __name__ == "__main__":
    main()
