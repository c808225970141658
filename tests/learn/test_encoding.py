"""Encodings against scikit-learn's scaler and one-hot encoder, and what happens to odd values."""

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from miningflow.learn.encoding import NominalPredictor, NumericPredictor, learn_encoding


def strings(*values: object) -> NDArray[Any]:
    return np.array(values, dtype=object)


def test_numbers_are_scaled_as_by_scikit_learn() -> None:
    rng = np.random.default_rng(1)
    columns = {"a": rng.normal(5, 3, 40), "b": rng.exponential(size=40)}
    columns["b"][[3, 7]] = np.nan
    table = np.column_stack(list(columns.values()))
    encoded = learn_encoding(columns, nominal=()).encode(columns)
    np.testing.assert_allclose(encoded, StandardScaler().fit_transform(table), atol=1e-12)
    assert np.isnan(encoded[[3, 7], 1]).all()


def test_three_categories_are_one_hot_and_scaled() -> None:
    values = strings(*np.random.default_rng(2).choice(["z", "m", "a"], 50))
    encoding = learn_encoding({"city": values}, nominal={"city"})
    indicators = OneHotEncoder(sparse_output=False).fit_transform(values[:, None])
    np.testing.assert_allclose(
        encoding.encode({"city": values}), StandardScaler().fit_transform(indicators), atol=1e-12
    )
    assert encoding.column_names == ("city=a", "city=m", "city=z")


def test_an_unseen_value_is_zero_in_every_indicator_before_scaling() -> None:
    values = strings("a", "b", "c", "c")
    predictor = learn_encoding({"x": values}, nominal={"x"}).predictors[0]
    assert isinstance(predictor, NominalPredictor)
    encoded = predictor.encode(strings("new"))
    np.testing.assert_allclose(
        encoded[0] * np.array(predictor.scales) + predictor.means, 0, atol=1e-15
    )
    np.testing.assert_array_equal(encoded[0], predictor.unseen)


def test_two_categories_share_the_indicator_of_the_second() -> None:
    values = strings("yes", "no", "yes", "yes")
    raw = learn_encoding({"x": values}, nominal={"x"}, standardize=False)
    np.testing.assert_array_equal(raw.encode({"x": values})[:, 0], [1, 0, 1, 1])
    assert raw.column_names == ("x=yes",)
    scaled = learn_encoding({"x": values}, nominal={"x"}).encode({"x": values})
    np.testing.assert_allclose(scaled[:, 0], (np.array([1, 0, 1, 1]) - 0.75) / np.sqrt(0.1875))


def test_with_two_categories_a_third_value_is_missing() -> None:
    encoding = learn_encoding({"x": strings("a", "b")}, nominal={"x"})
    encoded = encoding.encode({"x": strings("a", "c", None)})[:, 0]
    assert np.isnan(encoded).tolist() == [False, True, True]


@pytest.mark.parametrize("standardize", [True, False])
def test_one_category_says_nothing(standardize: bool) -> None:
    values = strings("only", "only", None)
    encoding = learn_encoding({"x": values}, nominal={"x"}, standardize=standardize)
    np.testing.assert_array_equal(
        encoding.encode({"x": strings("only", None, "else")})[:, 0], [0.0, np.nan, np.nan]
    )


def test_no_category_at_all_is_one_missing_column() -> None:
    encoding = learn_encoding({"x": strings(None, None)}, nominal={"x"})
    assert encoding.width == 1
    assert np.isnan(encoding.encode({"x": strings(None, "a")})).all()


def test_none_is_missing_in_all_columns_and_counts_for_no_mean() -> None:
    values = strings("a", "b", "c", None)
    encoding = learn_encoding({"x": values}, nominal={"x"})
    assert np.isnan(encoding.encode({"x": values})[3]).all()
    predictor = encoding.predictors[0]
    assert isinstance(predictor, NominalPredictor)
    np.testing.assert_allclose(predictor.means, [1 / 3] * 3)


@pytest.mark.parametrize("standardize", [True, False])
@pytest.mark.parametrize("categories", ["a", "ab", "abc", "abcde"])
def test_codes_are_the_encoding_of_the_categories(categories: str, standardize: bool) -> None:
    values = strings(*(categories * 2 + categories[0]))
    predictor = learn_encoding({"x": values}, {"x"}, standardize).predictors[0]
    assert isinstance(predictor, NominalPredictor)
    np.testing.assert_array_equal(predictor.codes, predictor.encode(strings(*categories)))


def test_a_constant_number_is_zero_even_where_its_mean_is_rounded() -> None:
    columns = {"x": np.full(49, 0.1)}
    encoding = learn_encoding(columns, nominal=())
    np.testing.assert_array_equal(encoding.encode(columns), np.zeros((49, 1)))
    assert encoding.predictors == (NumericPredictor("x", 0.1, 1.0),)


def test_without_scaling_numbers_stay_as_they_are() -> None:
    columns = {"x": np.array([3.0, 8.0])}
    encoding = learn_encoding(columns, nominal=(), standardize=False)
    assert encoding.predictors == (NumericPredictor("x", 0.0, 1.0),)
    np.testing.assert_array_equal(encoding.encode(columns)[:, 0], [3.0, 8.0])


def test_columns_keep_the_order_of_the_predictors() -> None:
    columns = {
        "age": np.array([1.0, 2.0, 4.0]),
        "city": strings("r", "s", "t"),
        "sex": strings("f", "m", "f"),
    }
    encoding = learn_encoding(columns, nominal={"city", "sex"})
    assert encoding.groups == (0, 1, 1, 1, 2)
    assert encoding.column_names == ("age", "city=r", "city=s", "city=t", "sex=m")
    assert encoding.encode(columns).shape == (3, encoding.width)
    assert encoding.encode(columns).dtype == np.float64


def test_a_nominal_predictor_takes_only_strings() -> None:
    with pytest.raises(TypeError, match="'x' holds 1;"):
        learn_encoding({"x": strings("a", 1)}, nominal={"x"})
    with pytest.raises(TypeError, match=r"'x' holds 2\.5"):
        NominalPredictor("x", ("a", "b"), (0.5,), (0.5,)).encode(strings("a", 2.5))


def test_infinity_is_refused() -> None:
    with pytest.raises(ValueError, match="'x' has infinite"):
        learn_encoding({"x": np.array([1.0, np.inf])}, nominal=())


def test_encoding_and_stored_models_need_no_scikit_learn() -> None:
    code = (
        "import sys, miningflow.learn, miningflow.learn.encoding, miningflow.learn.svm, "
        "miningflow.learn.selection; print('sklearn' in sys.modules)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False"
