"""The names of `miningflow.learn.selection`, which load their modules when they are used."""

from miningflow.learn import selection


def test_every_public_name_can_be_used() -> None:
    assert [name for name in selection.__all__ if not hasattr(selection, name)] == []
