"""The words in names of columns and files, which say what values mean."""

from __future__ import annotations

import re

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W\d_a-zA-Z]+")

KEY_WORDS = frozenset(
    [
        "id",
        "ids",
        "key",
        "uuid",
        "guid",
        "identifier",
        "pk",
        "oid",
        "nr",
        "no",
        "number",
        "code",
        "sku",
        "isbn",
        "email",
        "rownames",
        "index",
    ]
)
POINTING_WORDS = frozenset(
    ["id", "key", "uuid", "guid", "identifier", "fk", "nr", "no", "number", "code"]
)
"""Words at the end of a column that points to another table."""
CODE_WORDS = frozenset(
    [
        "id",
        "code",
        "zip",
        "zipcode",
        "plz",
        "postcode",
        "postal",
        "postleitzahl",
        "phone",
        "telephone",
        "tel",
        "fax",
        "fips",
        "iban",
        "bic",
        "iso",
        "icd",
        "naics",
        "sic",
        "ean",
        "gtin",
        "sku",
        "isbn",
        "type",
        "typ",
        "kind",
        "category",
        "cat",
        "status",
        "state",
        "region",
        "district",
        "sector",
        "branch",
        "cluster",
        "label",
        "gender",
        "sex",
        "class",
        "klasse",
        "klass",
        "target",
        "outcome",
        "occupation",
        "profession",
        "race",
        "ethnicity",
        "religion",
        "nationality",
        "country",
        "mode",
        "art",
        "group",
        "gruppe",
        "color",
        "colour",
        "segment",
        "model",
        "channel",
        "department",
        "store",
        "shop",
    ]
)
"""Words that turn a whole number into the name of something."""
QUANTITY_WORDS = frozenset(
    [
        "number",
        "num",
        "count",
        "n",
        "amount",
        "total",
        "sum",
        "age",
        "size",
        "quantity",
        "qty",
        "price",
        "cost",
        "rate",
        "days",
        "years",
        "months",
        "hours",
        "minutes",
        "length",
        "width",
        "height",
        "weight",
        "score",
        "points",
        "value",
        "balance",
        "income",
        "salary",
    ]
)
PARTS_OF_NAMES = frozenset(["first", "last", "middle", "given", "family"])
"""Words that make a name one that several people have."""
_SAME_IN_PLURAL = frozenset(
    [
        "series",
        "species",
        "news",
        "status",
        "address",
        "business",
        "basis",
        "analysis",
        "gas",
        "bus",
        "class",
        "process",
        "access",
        "glass",
        "news20",
        "always",
        "plus",
        "minus",
        "corpus",
        "census",
        "bonus",
        "campus",
        "lens",
    ]
)
_PLAIN_IES = frozenset(["movies", "cookies", "ties", "pies", "series", "species"])


def words_of(name: str) -> tuple[str, ...]:
    """Splits a name into lower-case words: `customerID_no` is customer, id, no."""
    return tuple(word.lower() for word in _WORD.findall(name))


def concept_name(text: str) -> str:
    """Names a concept after a file or table: `insurance_customers` is InsuranceCustomer."""
    words = _WORD.findall(text)
    if not words:
        return "Table"
    words[-1] = singular(words[-1])
    name = "".join(word[:1].upper() + word[1:] for word in words)
    return name if not name[0].isdigit() else f"Table{name}"


def singular(word: str) -> str:
    """Returns an English word in the singular, as far as its ending tells."""
    lower = word.lower()
    if not lower.endswith("s") or len(lower) < 4 or lower in _SAME_IN_PLURAL:
        return word
    if lower.endswith("ies") and lower not in _PLAIN_IES:
        return word[:-3] + "y"
    if lower.endswith(("sses", "xes", "ches", "shes", "zzes")):
        return word[:-2]
    return word if lower.endswith(("ss", "us", "is")) else word[:-1]


def plural(word: str) -> str:
    """Returns an English word in the plural."""
    if word.endswith(("s", "x", "ch", "sh")):
        return f"{word}es"
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return f"{word[:-1]}ies"
    return f"{word}s"


def snake(name: str) -> str:
    """Writes the name of a concept as part of the name of a step: InsuranceCustomer has two."""
    return "_".join(words_of(name)) or "table"
