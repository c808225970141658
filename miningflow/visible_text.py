"""Text for people: control characters are written out, so that no name or value drives a terminal.

Data and SQL that programs read stay as they are.
"""

from __future__ import annotations

import re

# All but line ends and tabs: C0, DEL and C1, line separators, halves of characters, and what turns
# the direction of writing, which can make a text read otherwise than it is.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)


def visible(text: str) -> str:
    """Returns a text in which control characters are written out, such as `\\x1b`."""
    return _HIDDEN.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def visible_json(text: str) -> str:
    r"""Returns JSON of the same meaning in which control characters are written as \u001b."""
    return _HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
