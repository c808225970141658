"""File versions: the content of source files as it was last seen."""

from __future__ import annotations

import sqlalchemy as sa

from miningflow.repository.database import Database


class FileVersions(Database):
    """The versions of files."""

    def file_version(self, location: str) -> tuple[str, str] | None:
        """Returns the stamp and content hash last seen for a location."""
        if self.empty:
            return None
        versions = self._t.file_versions
        query = sa.select(versions.c.stamp, versions.c.content_hash)
        with self._lock, self._begin() as connection:
            row = connection.execute(query.where(versions.c.location == location)).first()
        if row is None or not isinstance(row.stamp, str) or not isinstance(row.content_hash, str):
            return None
        return row.stamp, row.content_hash

    def save_file_version(self, location: str, stamp: str, content_hash: str) -> None:
        """Records the stamp and content hash of a location."""
        versions = self._t.file_versions
        entry = {"location": location, "stamp": stamp, "content_hash": content_hash}

        def write(connection: sa.Connection) -> None:
            connection.execute(versions.delete().where(versions.c.location == location))
            connection.execute(versions.insert(), entry)

        self._again(write)
