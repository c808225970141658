"""scikit-learn is loaded through one module, so that threads that load it wait for each other."""

import re
import subprocess
import sys
from pathlib import Path

import miningflow

FOLDER = Path(miningflow.__file__).parent
ROOTS = [FOLDER, FOLDER.parent / "operators"]
_IMPORT = re.compile(r"^\s*(from|import) sklearn\b", re.MULTILINE)

THREADS = """
import threading
from importlib import import_module
gate = threading.Barrier(4)
failed = []
def load(name):
    gate.wait()
    try:
        import_module("miningflow.learn." + name)
    except BaseException as error:
        failed.append(repr(error))
families = ["alignment", "geometry", "margin"]
names = ["selection.xi_alpha", *(f"selection.{f}.selector" for f in families)]
threads = [threading.Thread(target=load, args=[name]) for name in names]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert not failed, failed
"""


def test_only_one_module_imports_it() -> None:
    importing = [
        path.name
        for root in ROOTS
        for path in root.rglob("*.py")
        if _IMPORT.search(path.read_text(encoding="utf-8"))
    ]
    assert importing == ["scikit_learn.py"]


def test_threads_can_load_learners_at_the_same_time() -> None:
    subprocess.run([sys.executable, "-c", THREADS], check=True)
