"""Support vector machines, learned in memory from a sample or in the database from all rows.

An author describes a machine by a `MachineSpec` (`machine_spec`) and calls
- `training.learn_two_classes` or `training.learn_number`, which choose where to learn,
- `multiclass.learn_multiclass` for more classes, and
- `calibration.calibrated` to add probabilities.

The result is stored as a `SavedMachine` (`saved_machine`), which also predicts in memory.

The other modules train in the database: `training_in_database` chooses between `linear_training`,
whose passes over the rows are aggregate queries (`rows_in_database`) or streams (`rows_in_stream`),
and `kernel_training`, where the database finds the rows that a machine gets wrong.
"""
