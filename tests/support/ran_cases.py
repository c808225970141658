"""The cases of cases/ after a run: each runs once in a test run, and tests get copies of it."""

from __future__ import annotations

import fcntl
import shutil
from dataclasses import dataclass
from pathlib import Path

import miningflow
from miningflow.project import LoadedCase

ROOT = Path(__file__).parents[2]
CASES = sorted(path.stem for path in (ROOT / "cases").glob("*.yml"))


@dataclass(frozen=True)
class RanCases:
    """Cases that ran: `shared` is for all processes of a test run, `folder` for this one."""

    shared: Path
    folder: Path

    def case(self, name: str) -> LoadedCase:
        """Returns a case that ran, in this process's folder of cases."""
        if not self.folder.exists():
            copy_cases(self.folder)
        if not (self.folder / f"{name}.duckdb").exists():
            self.copy_results(name, self.folder)
        return miningflow.load(self.folder / f"{name}.yml")

    def copy_results(self, name: str, folder: Path) -> None:
        """Copies the store of a case that ran, and the files it wrote, to a folder of cases."""
        made = self.shared / name
        self.shared.mkdir(parents=True, exist_ok=True)
        with (self.shared / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not (made / "ran").exists():
                shutil.rmtree(made, ignore_errors=True)
                copy_cases(made)
                report = miningflow.load(made / f"{name}.yml").run(target=made / "target")
                assert all(stage.action == "run" for stage in report.stages)
                (made / "ran").touch()
        shutil.copy2(made / f"{name}.duckdb", folder)
        shutil.copytree(made / "target", folder / "target", dirs_exist_ok=True)


def copy_cases(folder: Path) -> None:
    """Copies the folder of cases without what others built in it."""
    ignored = shutil.ignore_patterns("*.duckdb*", "target", "spark-warehouse")
    shutil.copytree(ROOT / "cases", folder, ignore=ignored, dirs_exist_ok=True)
