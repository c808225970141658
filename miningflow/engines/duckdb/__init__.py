"""DuckDB, embedded in this process."""
