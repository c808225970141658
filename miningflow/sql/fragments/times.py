"""Time functions of expressions, built from parts of a time that every engine extracts alike."""

from __future__ import annotations

from sqlglot import exp

from miningflow.sql.fragments.numbers import divided
from miningflow.sql.fragments.values import operand
from miningflow.sql.literals import double

MONDAY = "1970-01-05"
PARTS = ("year", "month", "day", "hour", "minute", "second")


def part_of_time(unit: str, x: exp.Expression) -> exp.Expression:
    """EXTRACT as a double; a second is whole, although PostgreSQL and Spark give fractions."""
    extracted: exp.Expression = exp.Extract(this=exp.var(unit.upper()), expression=x.copy())
    if unit == "second":
        extracted = exp.Floor(this=extracted)
    return exp.cast(extracted, "DOUBLE")


def weekday(x: exp.Expression) -> exp.Expression:
    """The ISO weekday, Monday = 1 to Sunday = 7: engines number DOW differently."""
    days = _days(exp.Literal.string(MONDAY), x)
    weeks = exp.Floor(this=divided(days, double(7)))
    since = exp.Sub(this=days.copy(), expression=double(7) * weeks)
    return exp.Paren(this=exp.Add(this=since, expression=double(1)))


def difference(unit: str, start: exp.Expression, end: exp.Expression) -> exp.Expression:
    """Counts the boundaries of a unit between two times, as DATE_DIFF does on DuckDB."""
    if unit in ("year", "month"):
        total: exp.Expression = _minus(part_of_time("year", end), part_of_time("year", start))
        larger = [("month", 12)] if unit == "month" else []
    else:
        total = _days(start, end)
        steps = [("hour", 24), ("minute", 60), ("second", 60)]
        larger = steps[: ["day", "hour", "minute", "second"].index(unit)]
    for smaller, ratio in larger:
        scaled = exp.Mul(this=operand(total), expression=double(ratio))
        finer = _minus(part_of_time(smaller, end), part_of_time(smaller, start))
        total = exp.Add(this=scaled, expression=exp.Paren(this=finer))
    return exp.Paren(this=total)


def days_between(start: exp.Expression, end: exp.Expression) -> exp.Expression:
    """The days from one time to another with their fraction, to the second."""
    seconds = difference("second", start, end)
    return exp.Paren(this=divided(seconds, double(86_400)))


def days_since(date: str, x: exp.Expression) -> exp.Expression:
    """The days from the start of a date to a time with their fraction, to the second."""
    seconds: exp.Expression = part_of_time("second", x)
    for unit, length in (("minute", 60), ("hour", 3_600)):
        scaled = exp.Mul(this=part_of_time(unit, x), expression=double(length))
        seconds = exp.Add(this=scaled, expression=seconds)
    part = divided(exp.Paren(this=seconds), double(86_400))
    return exp.Add(this=_days(exp.Literal.string(date), x), expression=part)


def _days(start: exp.Expression, end: exp.Expression) -> exp.Expression:
    # On dates, sqlglot's versions of DATE_DIFF agree: no engine has part of a day left to treat.
    days = exp.DateDiff(
        this=exp.cast(end.copy(), "DATE"),
        expression=exp.cast(start.copy(), "DATE"),
        unit=exp.var("DAY"),
    )
    return exp.cast(days, "DOUBLE")


def _minus(left: exp.Expression, right: exp.Expression) -> exp.Expression:
    return exp.Sub(this=left, expression=right)
