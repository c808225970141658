"""Columns of a family, such as `pixel_1` and `pixel_2`, have the same type.

A pixel that is only ever 0 or 1 is a number like the others, and a dummy variable that is always 0
has two values like the others.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from miningflow.inspect.finding import Finding

FEWEST = 4
_NUMBER = re.compile(r"\d+")
_PREFIX = re.compile(r"^[^\W_]+(?=[._=])")


def types_of_families(findings: Mapping[str, Finding]) -> dict[str, Finding]:
    """Returns columns that get the type of their family."""
    found: dict[str, Finding] = {}
    for name, members in _families(findings, numbered=False).items():
        varying = [each for each in members if not _is_constant(each)]
        if len(varying) >= FEWEST - 1 and all(_is_dummy(each) for each in varying):
            for each in members:
                if _is_constant(each):
                    why = f"constant, and the other columns {name}… are 0 or 1"
                    found[each.column] = replace(each, type="binary", why=why)
    for name, members in _families(findings, numbered=True).items():
        numeric = sum(each.type == "numeric" for each in members)
        for each in members if 2 * numeric > len(members) else ():
            if _is_dummy(each):
                why = f"a number like most columns {name}"
                found[each.column] = replace(each, type="numeric", why=why)
    return found


def _families(findings: Mapping[str, Finding], numbered: bool) -> dict[str, Sequence[Finding]]:
    """Groups columns that are read as 0 and 1, or as other numbers, by their names."""
    found: dict[tuple[str, str], list[Finding]] = defaultdict(list)
    for each in findings.values():
        if each.facts is None or each.facts.kind != "number" or each.type == "key":
            continue
        if numbered and _NUMBER.search(each.column):
            name = _NUMBER.sub("…", each.column)
        elif not numbered and (prefix := _PREFIX.match(each.column)):
            name = prefix[0]
        else:
            continue
        found[name, each.facts.sql_type].append(each)
    return {name: each for (name, _), each in found.items() if len(each) >= FEWEST}


def _is_constant(finding: Finding) -> bool:
    facts = finding.facts
    return facts is not None and facts.is_constant and facts.minimum in (0.0, 1.0)


def _is_dummy(finding: Finding) -> bool:
    facts = finding.facts
    return (
        finding.type == "binary"
        and facts is not None
        and (facts.minimum, facts.maximum) == (0.0, 1.0)
    )
