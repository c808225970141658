"""Expressions drawn from words of SQL: each is read or refused with a message."""

from __future__ import annotations

import os
import random

import pytest

from miningflow.sql.fragments import (
    FragmentError,
    parse_aggregate,
    parse_condition,
    parse_expression,
)

FEATURES = {"n": "numeric", "c": "nominal", "b": "binary", "t": "time", "ilike": "numeric"}
_WORDS = """
n c b t ilike 1 0.5 1e9 'x' '' '%' null true false ( ) ( ) , , + - * / % || = <> < <= > >=
!= == ~ ! ^ & | << >> :: : . .. ; ? @ # $ [ ] { } -> ->> => := not and or xor is in like
glob similar to between case when then else end cast as try_cast interval date timestamp
extract year from coalesce nullif least greatest abs round floor ln exp length lower
substr trim replace concat regexp_matches count sum avg min max filter where over
partition by order rows distinct all any some exists select values unnest lambda x -> x
collate escape at time zone current_date array struct map row div mod %ilike isnull
notnull glob rlike
"""
WORDS = _WORDS.split()
LONG = "MININGFLOW_TEST_LONG"


@pytest.mark.hypothesis  # make test-long draws more
def test_every_expression_is_read_or_refused() -> None:
    drawn = random.Random(5)
    for _ in range(200_000 if os.environ.get(LONG) else 3_000):
        text = drawn.choice(["", " "]).join(drawn.choices(WORDS, k=drawn.randint(1, 9)))
        for parse in (parse_expression, parse_condition, parse_aggregate):
            try:
                parse(text, FEATURES)
            except FragmentError:
                continue
            except Exception as error:
                raise AssertionError(f"{parse.__name__}({text!r})") from error
