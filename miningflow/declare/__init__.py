"""The language operators are written in: concepts, parameters, operators, artifacts."""

from miningflow.declare.concept import (
    PREDICTED_CLASS,
    Concept,
    Feature,
    FeatureType,
    Holdout,
    Path,
    Reach,
    Relation,
)
from miningflow.declare.construction import FeatureConstruction
from miningflow.declare.finite_values import refuse_not_finite
from miningflow.declare.intervals import Interval, Intervals
from miningflow.declare.kinds.class_weights import class_weights
from miningflow.declare.kinds.concepts import concept, concepts, path, relation
from miningflow.declare.kinds.feature_maps import feature_labels, feature_values
from miningflow.declare.kinds.features import feature, features, new_feature
from miningflow.declare.kinds.fragments import (
    Aggregates,
    Conditions,
    aggregates,
    condition,
    conditions,
    expression,
)
from miningflow.declare.kinds.labelled_intervals import intervals
from miningflow.declare.kinds.named_numbers import named_numbers
from miningflow.declare.kinds.numbers import cuts, integer, interval, number, weights
from miningflow.declare.kinds.qualified_features import collected, ends, rename
from miningflow.declare.kinds.values import counts, literal, literal_map, literals, value_groups
from miningflow.declare.kinds.words import boolean, choice, export_path
from miningflow.declare.operator import (
    Expected,
    Export,
    Notes,
    Operator,
    ScoreNeeds,
    operator,
)
from miningflow.declare.rows import LearningError, TrainingRows, finite
from miningflow.declare.segmentation import SegmentingOperator, UnsegmentingOperator
from miningflow.declare.selection import FeatureSelection, Selection

__all__ = [
    "PREDICTED_CLASS",
    "Aggregates",
    "Concept",
    "Conditions",
    "Expected",
    "Export",
    "Feature",
    "FeatureConstruction",
    "FeatureSelection",
    "FeatureType",
    "Holdout",
    "Interval",
    "Intervals",
    "LearningError",
    "Notes",
    "Operator",
    "Path",
    "Reach",
    "Relation",
    "ScoreNeeds",
    "SegmentingOperator",
    "Selection",
    "TrainingRows",
    "UnsegmentingOperator",
    "aggregates",
    "boolean",
    "choice",
    "class_weights",
    "collected",
    "concept",
    "concepts",
    "condition",
    "conditions",
    "counts",
    "cuts",
    "ends",
    "export_path",
    "expression",
    "feature",
    "feature_labels",
    "feature_values",
    "features",
    "finite",
    "integer",
    "interval",
    "intervals",
    "literal",
    "literal_map",
    "literals",
    "named_numbers",
    "new_feature",
    "number",
    "operator",
    "path",
    "refuse_not_finite",
    "relation",
    "rename",
    "value_groups",
    "weights",
]
