"""The content of files, as a hash that is computed again only where files may have changed."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # asking for a case loads no SQLAlchemy
    from miningflow.repository.repository import Repository

# Bytes that are read on every run: hashing them takes less than 30 ms.
ALWAYS_READ = 4_000_000

# A file may change again within the resolution of the clock of its file system.
SETTLED_NS = 2_000_000_000


def content_hash(paths: Sequence[Path], repository: Repository | None) -> str:
    """Hashes the content of files, unless they are large and nothing about them changed.

    A copy with the old size and time of change (`cp -p`) has another inode, or at least a new
    status time, which no program can set.
    """
    stats = [path.stat() for path in paths]
    marks = [
        (str(path), s.st_size, s.st_mtime_ns, s.st_ctime_ns, s.st_dev, s.st_ino)
        for path, s in zip(paths, stats, strict=True)
    ]
    stamp = hashlib.blake2b(json.dumps(marks).encode(), digest_size=12).hexdigest()
    key = json.dumps([str(path.resolve()) for path in paths])
    is_large = sum(s.st_size for s in stats) > ALWAYS_READ
    known = repository.file_version(key) if repository and is_large else None
    if known and known[0] == stamp:
        return known[1]
    settled = time.time_ns() - SETTLED_NS
    digest = hashlib.blake2b(digest_size=16)
    for path in paths:
        with path.open("rb") as file:
            while part := file.read(1 << 20):
                digest.update(part)
    found = digest.hexdigest()
    is_settled = all(max(s.st_mtime_ns, s.st_ctime_ns) < settled for s in stats)
    if repository and not repository.read_only and is_large and is_settled:
        repository.save_file_version(key, stamp, found)
    return found
