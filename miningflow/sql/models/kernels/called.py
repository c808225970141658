"""Kernel models as calls of functions that the running process offers to its engine."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlglot import exp

from miningflow.learn.kernels import KernelModel
from miningflow.sql.block import Append, Block, PerEngine, Source, Values
from miningflow.sql.literals import column, unused
from miningflow.sql.models.machine_shapes import KernelShapes
from miningflow.sql.models.model_inputs import ModelInputs, new_names
from miningflow.sql.models.values import number_tree

STEM = "miningflow_kernel"


@dataclass(frozen=True, eq=False)
class CalledKernel:
    """A kernel model as a function: from a list of inputs to a list of decision values."""

    name: str
    shapes: KernelShapes

    @property
    def inputs(self) -> tuple[str, ...]:
        """Returns the names of the columns that are read from the rows."""
        return self.shapes.inputs

    @property
    def outputs(self) -> tuple[str, ...]:
        """Returns the names of the columns that are added."""
        return self.shapes.outputs

    @property
    def tables(self) -> tuple[Values, ...]:
        """Returns no table: the function knows the support vectors."""
        return ()

    def block(self, rows: Block, dialect: str) -> Block:
        """Adds the decisions to all columns of the rows."""
        values = ModelInputs(rows, self.shapes.values_read).values
        taken = [*rows.columns, *self.outputs]
        names, decisions = new_names("x", len(values), taken), unused("decisions", taken)
        given = rows.extend(
            {name: number_tree(value) for name, value in zip(names, values, strict=True)}
        ).layered()
        inputs = exp.Array(expressions=[column(name) for name in names])
        call = exp.Anonymous(this=self.name, expressions=[inputs])
        decided = given.extend({decisions: call}).layered()
        each = {
            output: exp.Anonymous(
                this="LIST_EXTRACT", expressions=[column(decisions), exp.Literal.number(i + 1)]
            )
            for i, output in enumerate(self.outputs)
        }
        return decided.extend(each).project([*rows.columns, *self.outputs])


def called(block: Block, models: dict[str, KernelModel]) -> Block:
    """Replaces comparisons with support vectors by calls, and notes the models behind them."""
    return replace(block, inputs={a: _called(s, models) for a, s in block.inputs.items()})


def _called(source: Source, models: dict[str, KernelModel]) -> Source:
    match source:
        case Block():
            return called(source, models)
        case Append(branches):
            return Append(tuple(called(branch, models) for branch in branches))
        case PerEngine(shapes=KernelShapes() as shapes) if shapes.tables:
            name = f"{STEM}_{len(models) + 1}"
            models[name] = shapes.model
            rows = called(source.rows, models)
            return replace(source, rows=rows, shapes=CalledKernel(name, shapes))
        case PerEngine():
            return replace(source, rows=called(source.rows, models))
    return source
