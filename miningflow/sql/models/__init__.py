"""Trained models as SQL: each is the twin of a model in `miningflow.learn`."""
