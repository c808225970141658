"""The classes of scikit-learn that become SQL."""

from __future__ import annotations

from typing import Final

KERNEL_MACHINES: Final = ("SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM")
LINEAR_CLASSIFIERS: Final = (
    "LinearSVC",
    "SGDClassifier",
    "LogisticRegression",
    "LogisticRegressionCV",
    "LinearDiscriminantAnalysis",
    "RidgeClassifier",
    "RidgeClassifierCV",
    "Perceptron",
    "PassiveAggressiveClassifier",
)
LINEAR_REGRESSORS: Final = (
    "LinearSVR",
    "SGDRegressor",
    "LinearRegression",
    "Ridge",
    "RidgeCV",
    "Lasso",
    "LassoCV",
    "ElasticNet",
    "ElasticNetCV",
    "Lars",
    "LarsCV",
    "LassoLars",
    "LassoLarsCV",
    "LassoLarsIC",
    "OrthogonalMatchingPursuit",
    "OrthogonalMatchingPursuitCV",
    "BayesianRidge",
    "ARDRegression",
    "HuberRegressor",
    "TheilSenRegressor",
    "QuantileRegressor",
    "PassiveAggressiveRegressor",
    "PoissonRegressor",
    "GammaRegressor",
    "TweedieRegressor",
)
SINGLE_TREES: Final = (
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "ExtraTreeClassifier",
    "ExtraTreeRegressor",
)
FORESTS: Final = (
    "RandomForestClassifier",
    "RandomForestRegressor",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
)
BOOSTED: Final = ("GradientBoostingClassifier", "GradientBoostingRegressor")
HISTOGRAM_BOOSTED: Final = ("HistGradientBoostingClassifier", "HistGradientBoostingRegressor")
TREE_MODELS: Final = (*SINGLE_TREES, *FORESTS, *BOOSTED, *HISTOGRAM_BOOSTED)
ESTIMATORS: Final = (
    *KERNEL_MACHINES,
    *LINEAR_CLASSIFIERS,
    *LINEAR_REGRESSORS,
    *TREE_MODELS,
    "CalibratedClassifierCV",
)
TRANSFORMERS: Final = (
    "ColumnTransformer",
    "Pipeline",
    "StandardScaler",
    "MinMaxScaler",
    "RobustScaler",
    "SimpleImputer",
    "OneHotEncoder",
    "OrdinalEncoder",
    "PolynomialFeatures",
    "feature selectors",
)
