"""Relations: mistakes have their place, and a relation lives as long as the key does."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.command_line import accepted, refused

CASE = """\
case: a
concepts:
  Customer:
    key: customer_id
    features: {customer_id: key, age: numeric, city: nominal}
  Product:
    key: product_id
    features: {product_id: key, price: numeric}
  Purchase:
    features: {who: key, what: key, day: time, shop: nominal}
  Review:
    key: review_id
    features: {review_id: key, product_id: key, stars: numeric}
relations:
  bought:
    {from: Customer.customer_id, to: Product.product_id, through: [Purchase.who, Purchase.what]}
  purchases_of: {from: Purchase.who, to: Customer.customer_id}
  reviews_of: {from: Review.product_id, to: Product.product_id}
steps:
  step: {operator: Materialize, input: Customer}
"""
STEP = "  step: {operator: Materialize, input: Customer}\n"
SPENT = "{operator: AggregateByRelation, relation: bought, aggregates: {spent: sum(price)}, "
COLLECT = "{operator: MultiRelationalFeatureConstruction, "


def check(folder: Path, text: str) -> str:
    (folder / "case.yml").write_text(text)
    return refused(folder, "check", "case.yml")


def well(folder: Path, steps: str) -> None:
    assert STEP in CASE
    (folder / "case.yml").write_text(CASE.replace(STEP, steps))
    assert "no errors" in accepted(folder, "check", "case.yml")


@pytest.mark.parametrize(
    ("old", "new", "wrong", "message"),
    [
        ("to: Product.product_id,", "to: Prodct.product_id,", "Prodct", "did you mean 'Product'?"),
        ("to: Product.product_id,", "to: Product.price,", "Product.price", "is 'product_id'"),
        ("from: Customer.customer_id", "from: Customer.city", "Customer.city", "is 'customer_id'"),
        ("from: Customer.customer_id", "from: Purchase.who", "Purchase.who", "declares no key"),
        ("through: [", "trough: [", "trough", "did you mean 'through'?"),
        ("[Purchase.who, Purchase.what]", "Purchase", "Purchase}", "takes two features of the"),
        ("[Purchase.who, Purchase.what]", "[Purchase.who]", "[Pur", "takes two features of the"),
        ("[Purchase.who, Purchase.what]", "[[a], Purchase.what]", "[a]", "must be a single value"),
        ("[Purchase.who, Purchase.what]", "[]", "[]", "takes two features of the cross table"),
        ("Purchase.what]", "Purchase.waht]", "Purchase.waht", "did you mean 'what'?"),
        ("Purchase.who, P", "Purchase.shop, P", "Purchase.shop", "write `shop: key` among the"),
        ("Purchase.who, P", "Purchase.what, P", "Purchase.what]", "cannot point to both sides"),
        ("Purchase.what]", "Review.product_id]", "Review.product_id]", "belong to two concepts"),
        ("from: Purchase.who", "from: Purchase.day", "Purchase.day", "is time, but what points"),
        ("from: Review.product_id", "from: Review.stars", "Review.stars", "write `stars: key`"),
    ],
)
def test_a_wrong_relation_is_refused(
    tmp_path: Path, old: str, new: str, wrong: str, message: str
) -> None:
    assert CASE.count(old) == 1
    text = CASE.replace(old, new)
    said = check(tmp_path, text)
    assert message in said
    line = next(i for i, part in enumerate(text.splitlines(keepends=True), 1) if wrong in part)
    column = text.splitlines(keepends=True)[line - 1].index(wrong) + 1
    assert f"case.yml:{line}:{column}: error: " in said


@pytest.mark.parametrize(
    ("step", "message"),
    [
        (SPENT + "input: Review}", "no feature 'price'"),  # people belong to its product
        (SPENT + "input: Customer, rows_of: Review}", "can stand in neither for 'Product' nor for"),
        (
            COLLECT + "input: Customer, relations: [bougt], features: [Product.price]}",
            "did you mean 'bought'?",
        ),
        (
            COLLECT + "input: Customer, relations: [], features: [Product.price]}",
            "takes at least 1 relation",
        ),
        (
            COLLECT + "input: Customer, relations: [bought], features: [Product.price]}",
            "several rows of 'Purchase' may be found along 'bought'\n",
        ),
        (
            COLLECT + "input: Customer, relations: [purchases_of], features: [Purchase.day]}",
            "aggregate them with AggregateByRelation, or set `rows: multiply`",
        ),
        (
            COLLECT + "input: Customer, relations: [reviews_of], features: [Product.price]}",
            "from 'Customer' one can follow bought, purchases_of",
        ),
        (
            COLLECT + "input: Review, relations: [reviews_of, purchases_of], "
            "features: [Product.price]}",
            "'purchases_of' cannot be followed from 'Product'",
        ),
        (
            COLLECT + "input: Purchase, relations: [bought], features: [Product.price]}",
            "declare a separate relation to the side that you want",
        ),
        (
            COLLECT + "input: Review, relations: [reviews_of], features: [Product.prize]}",
            "did you mean 'Product.price'?",
        ),
        (
            COLLECT + "input: Review, relations: [reviews_of], features: []}",
            "takes at least 1 features",
        ),
        (
            COLLECT + "input: Review, relations: [reviews_of], "
            "features: [Product.price, Product.price]}",
            "names 'Product.price' twice",
        ),
        (
            COLLECT + "input: Review, relations: [reviews_of], features: {Product.price: STARS}}",
            "feature 'stars' already exists",
        ),
        (
            COLLECT + "input: Review, relations: [reviews_of], features: {Product.price: ''}}",
            "cannot be a name",
        ),
        (
            COLLECT + "input: Review, relations: [reviews_of], rows_of: [Customer], "
            "features: [Product.price]}",
            "'Customer' stands in for no concept on the path, which leads to 'Product'",
        ),
        (
            COLLECT + "input: Customer, relations: [bought, bought], rows: multiply, "
            "features: [Customer.age]}",
            "feature 'age' already exists",
        ),
        (
            COLLECT + "input: Customer, relations: [bought, bought, bought], rows: multiply, "
            "features: [Product.price]}",
            "the path leads to 'Product' more than once",
        ),
    ],
)
def test_a_relation_that_cannot_be_followed_is_refused(
    tmp_path: Path, step: str, message: str
) -> None:
    said = check(tmp_path, CASE.replace(STEP, f"  step: {step}\n"))
    assert message in said
    line = CASE.splitlines().index(STEP.rstrip()) + 1
    assert f"case.yml:{line}:" in said


def test_what_a_cross_table_points_with_cannot_be_dropped(tmp_path: Path) -> None:
    step = "  step: {operator: FeatureSelectionByAttributes, input: Purchase, drop: [what]}\n"
    said = check(tmp_path, CASE.replace(STEP, step))
    assert "'what' is the key or part of a relation and can never be dropped" in said


@pytest.mark.parametrize(
    "before",
    [
        "some: {operator: RowSelectionByRandomSampling, input: Customer, how_many: 3}",
        "some: {operator: RowSelectionByQuery, input: Customer, where: age > 3}",
        "some: {operator: JoinByKey, concepts: [Customer, other]}",
        "some: {operator: JoinByKey, concepts: [other, Customer]}",
        "some: {operator: JoinByKey, concepts: [Customer, other], "
        "rename: {Customer.customer_id: number}}",
        "some: {operator: UnionByKey, concepts: [other, Customer]}",
        "some: {operator: Union, concepts: [Customer, older]}",
        "some: {operator: FeatureSelectionByAttributes, input: Customer, drop: [age]}",
        "some: {operator: AggregateByRelation, input: Customer, relation: purchases_of, "
        "aggregates: {n: count()}}",
        "some: {operator: Materialize, input: Customer}",
        "some: {operator: Pivotize, input: Purchase, index: {shop: [a, b]}, values: [day], "
        "aggregate: max, group_by: [who]}",
        "some: {operator: SpecifiedStatistics, input: Purchase, count: [day], group_by: [who]}",
        "some: {operator: ReversePivotize, input: Customer, columns: [age], index: i, value: v}",
        "some: {operator: MultiRelationalFeatureConstruction, input: Purchase, "
        "relations: [purchases_of], features: [Customer.age]}",
    ],
)
def test_a_relation_survives_as_long_as_the_key_does(tmp_path: Path, before: str) -> None:
    others = (
        "  older: {operator: RowSelectionByQuery, input: Customer, where: age > 60}\n"
        "  other: {operator: Pivotize, input: Purchase, index: {shop: [x]}, values: [day], "
        "aggregate: count, group_by: [who]}\n"
    )
    well(tmp_path, f"{others}  {before}\n  step: {SPENT} input: some}}\n")


def test_a_relation_is_lost_with_the_key(tmp_path: Path) -> None:
    steps = (
        "  some: {operator: SpecifiedStatistics, input: Customer, sum: [age], group_by: [city]}\n"
        f"  step: {SPENT} input: some}}\n"
    )
    said = check(tmp_path, CASE.replace(STEP, steps))
    assert "'bought' leads to 'Customer', but 'some' is not derived from it, or has lost" in said


def test_a_stand_in_must_still_have_its_key(tmp_path: Path) -> None:
    steps = (
        "  some:\n"
        "    {operator: ReversePivotize, input: Product, columns: [price], index: i, value: v}\n"
        f"  step: {COLLECT} input: Review, relations: [reviews_of], rows_of: [some], "
        "features: [some.v]}\n"
    )
    said = check(tmp_path, CASE.replace(STEP, steps))
    assert "'some' cannot stand in for 'Product': it has lost its key" in said
