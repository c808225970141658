"""What operators learn with: training rows in, numbers out. Public for operator authors.

`learn` of an operator gets `TrainingRows` (see `miningflow.declare`): the rows a step may learn
from, never the held-out ones. The modules here ask them for aggregates, counts or a sample, and
return numbers or frozen dataclasses that can be stored as an artifact. What the rows cannot teach
is refused with a `LearningError`, which says why and what to do.

One feature, by aggregates over all rows:
- `typical_values`: means, and most frequent values
- `quantiles`: medians, and parts with equally many rows
- `ranges`: the smallest and the largest value
- `value_counts`: how often each value occurs, alone or by class
- `bins`: values or intervals of a feature, numbered and counted

Several features:
- `predictors`: a sample as a matrix, numbers standardised and categories encoded
- `classes`: which rows have the positive class
- `correlations`: features that say the same as an earlier one
- `item_sets`: items that often occur together
- `decision_model`: decision trees and rules from a sample
- `svm`: support vector machines, from a sample or from all rows in the database
- `subset_search`: a search for features that judges each subset by all rows
"""
