"""Spark, driven by this process or behind a Connect server."""
