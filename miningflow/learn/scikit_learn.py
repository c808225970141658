"""What learners use of scikit-learn, imported as a whole by whoever comes first.

Steps learn side by side, and load scikit-learn when they do. Two threads that import parts of it at
the same time can each wait for the other; Python then lets one see a module that is half loaded.
Imported here, the second thread waits for this module.
"""

from sklearn import config_context
from sklearn.base import BaseEstimator
from sklearn.cluster import KMeans
from sklearn.feature_selection import SelectorMixin
from sklearn.metrics import (
    auc,
    average_precision_score,
    precision_recall_curve,
    roc_curve,
)
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC, SVR, LinearSVC, OneClassSVM
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils import ClassifierTags, Tags, check_random_state, get_tags
from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

try:  # not a public part of scikit-learn: if it goes, selection gets slower and stays right
    from sklearn.svm import _libsvm as libsvm
except ImportError:  # pragma: no cover - no scikit-learn so far is without it
    libsvm = None

__all__ = [
    "SVC",
    "SVR",
    "BaseEstimator",
    "ClassifierTags",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "Interval",
    "KMeans",
    "LinearSVC",
    "OneClassSVM",
    "RealNotInt",
    "SelectorMixin",
    "StrOptions",
    "StratifiedKFold",
    "Tags",
    "auc",
    "average_precision_score",
    "check_classification_targets",
    "check_is_fitted",
    "check_random_state",
    "compute_sample_weight",
    "config_context",
    "get_tags",
    "libsvm",
    "precision_recall_curve",
    "roc_curve",
    "type_of_target",
    "validate_data",
]
