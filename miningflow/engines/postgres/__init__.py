"""PostgreSQL, a server."""
