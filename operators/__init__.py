"""The operator library that comes with MiningFlow, one flat file per family."""

from __future__ import annotations

from miningflow.declare import Operator

from .aggregation import AggregateByRelation
from .apriori import Apriori
from .construction import GenericFeatureConstruction, LinearScaling, Mapping
from .conversion import Binarify, DateToNumeric, LogScaling, OrdinalEncoding
from .decision_missing_values import (
    MissingValueWithDecisionRules,
    MissingValueWithDecisionTree,
)
from .decision_predictions import PredictionWithDecisionRules, PredictionWithDecisionTree
from .discretization import (
    EquidistantDiscretizationGivenNoOfIntervals,
    EquidistantDiscretizationGivenWidth,
)
from .discretization_by_count import (
    EquifrequentDiscretizationGivenCardinality,
    EquifrequentDiscretizationGivenNoOfIntervals,
)
from .discretization_by_error import (
    ErrorBasedDiscretizationGivenMinCardinality,
    ErrorBasedDiscretizationGivenNoOfInt,
    ImplicitErrorBasedDiscretization,
)
from .discretization_by_hand import (
    NumericIntervalManualDiscretization,
    TimeIntervalManualDiscretization,
    UserDefinedDiscretization,
)
from .evaluation import ComputeSVMError
from .evaluation_of_classes import ClassFigures, ConfusionMatrix
from .evaluation_of_scores import CalibrationTable, LiftTable
from .exporting import PrepareForExport
from .grouping import (
    ErrorBasedGroupingGivenMinCardinality,
    ErrorBasedGroupingGivenNoOfGroups,
    GroupingGivenMinCardinality,
    GroupingGivenNoOfGroups,
    ImplicitErrorBasedGrouping,
)
from .grouping_by_hand import UserDefinedGrouping, UserDefinedGroupingWithDefaultValue
from .joining import JoinByKey, UnionByKey
from .joining_by_relation import MultiRelationalFeatureConstruction
from .missing_values import AssignAverageValue, AssignMedianValue, AssignModalValue
from .missing_values_drawn import (
    AssignDefaultValue,
    AssignPredictedValueCategorial,
    AssignStochasticValue,
)
from .rows import (
    DeleteRecordsWithMissingValues,
    RowSelectionByQuery,
    RowSelectionByRandomSampling,
)
from .rows_ranked import RemoveDuplicates, RowSelectionByUnbiasing
from .segmentation import (
    Repeat,
    SegmentationByPartitioning,
    SegmentationStratified,
    Unsegment,
)
from .segmentation_by_clusters import SegmentationWithKMeans
from .selection import FeatureSelectionByAttributes
from .selection_by_alignment import FeatureSelectionByAlignment
from .selection_by_correlation import StatisticalFeatureSelection
from .selection_by_geometry import FeatureSelectionByGeometry
from .selection_by_margin_bound import FeatureSelectionByMarginBound
from .selection_by_normal import FeatureSelectionByNormal
from .selection_by_score import FeatureSelectionByScore
from .selection_genetic import GeneticFeatureSelection, SGFeatureSelection
from .selection_given_number import (
    FloatingBackwardFeatureSelectionGivenNoOfAttributes,
    FloatingForwardFeatureSelectionGivenNoOfAttributes,
    SimpleBackwardFeatureSelectionGivenNoOfAttributes,
    SimpleForwardFeatureSelectionGivenNoOfAttributes,
)
from .selection_with_svm import FeatureSelectionWithSVM
from .series_exponential import ExponentialMovingFunction
from .series_symbols import SignalToSymbolProcessing
from .series_windows import SimpleMovingFunction, WeightedMovingFunction, Windowing
from .shape import Materialize, Pivotize, ReversePivotize
from .subgroups import SubgroupMining
from .summaries import SpecifiedStatistics
from .svm import SupportVectorMachineForClassification
from .svm_missing_values import MissingValuesWithRegressionSVM
from .svm_one_class import SupportVectorMachineForOneClass
from .svm_regression import SupportVectorMachineForRegression
from .union import Union

OPERATORS: tuple[type[Operator], ...] = (
    AggregateByRelation,
    Apriori,
    AssignAverageValue,
    AssignDefaultValue,
    AssignMedianValue,
    AssignModalValue,
    AssignPredictedValueCategorial,
    AssignStochasticValue,
    Binarify,
    ComputeSVMError,
    ConfusionMatrix,
    ClassFigures,
    LiftTable,
    CalibrationTable,
    DateToNumeric,
    DeleteRecordsWithMissingValues,
    EquidistantDiscretizationGivenNoOfIntervals,
    EquidistantDiscretizationGivenWidth,
    EquifrequentDiscretizationGivenCardinality,
    EquifrequentDiscretizationGivenNoOfIntervals,
    ErrorBasedDiscretizationGivenMinCardinality,
    ErrorBasedDiscretizationGivenNoOfInt,
    ErrorBasedGroupingGivenMinCardinality,
    ErrorBasedGroupingGivenNoOfGroups,
    ExponentialMovingFunction,
    FeatureSelectionByAlignment,
    FeatureSelectionByAttributes,
    FeatureSelectionByGeometry,
    FeatureSelectionByMarginBound,
    FeatureSelectionByNormal,
    FeatureSelectionByScore,
    FeatureSelectionWithSVM,
    FloatingBackwardFeatureSelectionGivenNoOfAttributes,
    FloatingForwardFeatureSelectionGivenNoOfAttributes,
    GenericFeatureConstruction,
    GeneticFeatureSelection,
    GroupingGivenMinCardinality,
    GroupingGivenNoOfGroups,
    ImplicitErrorBasedDiscretization,
    ImplicitErrorBasedGrouping,
    JoinByKey,
    LinearScaling,
    LogScaling,
    Mapping,
    Materialize,
    MissingValueWithDecisionRules,
    MissingValueWithDecisionTree,
    MissingValuesWithRegressionSVM,
    MultiRelationalFeatureConstruction,
    NumericIntervalManualDiscretization,
    OrdinalEncoding,
    Pivotize,
    PrepareForExport,
    PredictionWithDecisionRules,
    PredictionWithDecisionTree,
    RemoveDuplicates,
    Repeat,
    ReversePivotize,
    RowSelectionByQuery,
    RowSelectionByRandomSampling,
    RowSelectionByUnbiasing,
    SGFeatureSelection,
    SegmentationByPartitioning,
    SegmentationStratified,
    SegmentationWithKMeans,
    SignalToSymbolProcessing,
    SimpleBackwardFeatureSelectionGivenNoOfAttributes,
    SimpleForwardFeatureSelectionGivenNoOfAttributes,
    SimpleMovingFunction,
    SpecifiedStatistics,
    StatisticalFeatureSelection,
    SubgroupMining,
    SupportVectorMachineForClassification,
    SupportVectorMachineForOneClass,
    SupportVectorMachineForRegression,
    TimeIntervalManualDiscretization,
    Union,
    Unsegment,
    UnionByKey,
    UserDefinedDiscretization,
    UserDefinedGrouping,
    UserDefinedGroupingWithDefaultValue,
    WeightedMovingFunction,
    Windowing,
)
