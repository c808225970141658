"""Machines, transformers and data of which tests make fitted pipelines."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from sklearn.impute import SimpleImputer
from sklearn.linear_model import SGDClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    RobustScaler,
    StandardScaler,
)
from sklearn.svm import SVC, SVR, LinearSVC, LinearSVR, OneClassSVM

KERNELS: list[dict[str, Any]] = [
    {"kernel": "linear"},
    {"kernel": "rbf"},
    {"kernel": "rbf", "gamma": 0.7},
    {"kernel": "sigmoid", "coef0": 0.2},
    {"kernel": "poly", "degree": 2, "coef0": 1.0},
    {"kernel": "poly", "degree": 3},
    {"kernel": "poly", "degree": 4, "gamma": 0.3, "coef0": -0.5},
]
LABELS: list[list[Any]] = [
    ["no", "yes", "perhaps", "it's"],
    ["yes", "no", "it's", "perhaps"],
    [3, -1, 7, 0],
    [5.0, -2.0, 1e3, 0.0],
]
MACHINES: list[Any] = [
    LinearSVC,
    SVC,
    lambda: SVC(kernel="linear"),
    lambda: SVC(kernel="poly", degree=2, coef0=1.0),
    lambda: SVC(kernel="sigmoid"),
    lambda: SGDClassifier(loss="hinge", random_state=0),
    LinearSVR,
    SVR,
    OneClassSVM,
]
SCALERS: list[Any] = [
    StandardScaler,
    lambda: StandardScaler(with_mean=False),
    lambda: StandardScaler(with_std=False),
    MinMaxScaler,
    lambda: MinMaxScaler((-3, 5), clip=True),
    RobustScaler,
    lambda: RobustScaler(with_centering=False, unit_variance=True),
    lambda: RobustScaler(with_scaling=False),
    lambda: "passthrough",
]
ENCODERS: list[Any] = [
    OneHotEncoder,
    lambda: OneHotEncoder(drop="first"),
    lambda: OneHotEncoder(drop="if_binary", handle_unknown="ignore"),
    lambda: OneHotEncoder(min_frequency=0.15, handle_unknown="infrequent_if_exist"),
    lambda: OneHotEncoder(max_categories=2, drop="first", handle_unknown="ignore"),
    OrdinalEncoder,
    lambda: OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1),
    lambda: OrdinalEncoder(min_frequency=0.15),
    lambda: make_pipeline(OneHotEncoder(sparse_output=False), StandardScaler()),
    lambda: make_pipeline(OrdinalEncoder(), OneHotEncoder()),
]
FILLERS: list[Any] = [
    SimpleImputer,
    lambda: SimpleImputer(strategy="median", add_indicator=True),
    lambda: SimpleImputer(strategy="constant", fill_value=-7.5),
    lambda: make_pipeline(StandardScaler(), SimpleImputer(), MinMaxScaler()),
]


def classes(random: np.random.Generator, X: Any, labels: list[Any]) -> Any:
    """Returns a label for each row, each at least three times, which depends on the row."""
    order = np.argsort(X[:, 0] + 0.5 * random.normal(size=len(X)))
    numbers = np.empty(len(X), dtype=int)
    numbers[order] = np.arange(len(X)) * len(labels) // len(X)
    return np.array(labels)[numbers]


def numbers(random: np.random.Generator, rows: int, width: int) -> Any:
    offsets, scales = (
        random.choice([0.0, 5.0, -40.0], width),
        random.choice([0.1, 1.0, 20.0], width),
    )
    return random.normal(size=(rows, width)) * scales + offsets


def mixed(random: np.random.Generator, rows: int, holes: bool) -> pd.DataFrame:
    frame = pd.DataFrame(
        {
            "age": random.normal(50, 10, rows),
            "city": random.choice(
                ["Rome", "Köln", "Sant'Agata", "Oslo"], rows, p=[0.5, 0.3, 0.1, 0.1]
            ),
            "grade": random.choice([1, 2, 3], rows),
            "income": random.normal(-3, 0.1, rows),
            "member": random.choice([True, False], rows),
        }
    )
    # an encoder refuses what it has not seen
    frame.loc[:3, "city"] = ["Rome", "Köln", "Sant'Agata", "Oslo"]
    frame.loc[:2, "grade"] = [1, 2, 3]
    if holes:
        frame["age"] = frame["age"].mask(random.random(rows) < 0.2)
        frame["city"] = frame["city"].mask((random.random(rows) < 0.2) & (frame.index > 3), np.nan)
    return frame
