"""What the paper on normals claims of sparsity and memory, and whether it held here."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from benchmarks.papers.normals_measure import NORMALS, Normals
from benchmarks.papers.normals_reuters import Difference, Measure, compared

HEADER = ("claim", "paper", "ours", "held")
RULE = (
    "*Held* is `yes` if all differences have the sign of the claim and at least half of them are "
    "significant, `in tendency` if they only have the sign, and `no` otherwise; for `not worse` "
    "and `similar`, `yes` if fewer than half differ significantly in the wrong way. The rule was "
    "made when the counts were known, so judge by these."
)


def sparsity_claims(found: Normals) -> list[list[str]]:
    """Returns rows on figure 4."""
    few, *rest = levels(found)
    every = [few, *rest]
    most = rest[-1]
    middle = 20.0 if 20.0 in rest else most

    def versus(
        first: str, second: str, at: Sequence[float], measure: Measure = "F1"
    ) -> list[Difference]:
        pairs = [(found.by_sparsity[first, s], found.by_sparsity[second, s]) for s in at]
        return [compared(one, other, measure) for one, other in pairs]

    doubled = [
        difference for more, fewer in pairwise(NORMALS) for difference in versus(more, fewer, rest)
    ]
    above = [s for s in rest if s > 5]
    high = [s for s in rest if s >= 20]
    similar = versus("normal-1/16", "normal-1", every, "precision")
    return [
        _better(f"F1 of normal-1 against OR, S > {few:g}", versus("normal-1", "OR", rest)),
        _better(f"F1 of normal-1 against IG, S > {few:g}", versus("normal-1", "IG", rest)),
        _better(f"F1 of OR against normal-1, S = {few:g}", versus("OR", "normal-1", [few])),
        _better("F1 of IG against OR, S ≥ 20 (paper: above 20)", versus("IG", "OR", high)),
        _better(
            "precision of IG against normal-1, S > 5", versus("IG", "normal-1", above, "precision")
        ),
        _better("precision of IG against OR", versus("IG", "OR", every, "precision")),
        _better("recall of OR against IG", versus("OR", "IG", every, "recall")),
        _better(f"F1 of a normal of twice the documents, S > {few:g}", doubled),
        [
            "precision of normal-1/16 against normal-1",
            "similar",
            _counted(similar),
            _fewer_than_half([each.better or each.worse for each in similar]),
        ],
        _against_all(found, "normal-1", middle, "not worse; 2.0 % of features"),
        _against_all(found, "normal-1/4", most, "not worse; 5.6 % of features"),
        _against_all(found, "normal-1", most, "better with S = 80 of 88; 60 to 75 % of features"),
    ]


def memory_claims(found: Normals) -> list[list[str]]:
    """Returns rows on figure 3; K is how often the memory is halved, k how often the vectors."""
    runs = found.by_memory
    halved = halving(found)
    further = [compared(runs[K, k], runs[K, 1]) for K, k in runs if k > 1]
    extreme = [compared(runs[K, K], runs[K, 0]) for K, k in runs if k == K and k > 1]
    return [
        [
            "half the values and twice the documents (k = 1 against 0)",
            "always significantly better",
            f"{_counted(halved)} ({_listed(halved)} from K = 1 on)",
            _held(halved),
        ],
        [
            "sparser still (k > 1 against 1)",
            "generally not better",
            _counted(further),
            _fewer_than_half([each.better for each in further]),
        ],
        [
            "the sparsest vectors of all documents (k = K against 0)",
            "can be worse",
            f"{_counted(extreme)} ({_listed(extreme)} from K = 2 on)",
            "yes" if any(each.worse for each in extreme) else "no",
        ],
    ]


def halving(found: Normals) -> list[Difference]:
    """Returns how k = 1 compares with k = 0 for each memory below the whole."""
    runs = found.by_memory
    return [compared(runs[K, 1], runs[K, 0]) for K, k in runs if k == 1]


def levels(found: Normals) -> list[float]:
    """Returns the sparsities, the sparsest first."""
    return sorted({sparsity for _, sparsity in found.by_sparsity})


def _better(claim: str, differences: Sequence[Difference]) -> list[str]:
    return [claim, "better", _counted(differences), _held(differences)]


def _against_all(found: Normals, method: str, sparsity: float, paper: str) -> list[str]:
    outcome = found.by_sparsity[method, sparsity]
    difference = compared(outcome, found.everything)
    share = 100 * outcome.kept.mean() / found.problem.X.shape[1]
    significant = difference.better or difference.worse
    return [
        f"F1 of {method}, S = {sparsity:g}, against all features",
        paper,
        f"{difference.mean:+.3f}, {'' if significant else 'not '}significant; "
        f"{share:.1f} % of features",
        _fewer_than_half([difference.worse]) if "not worse" in paper else _held([difference]),
    ]


def _held(differences: Sequence[Difference]) -> str:
    if not all(each.mean > 0 for each in differences):
        return "no"
    significant = sum(each.better for each in differences)
    return "yes" if 2 * significant >= len(differences) else "in tendency"


def _fewer_than_half(wrong: Sequence[bool]) -> str:
    return "yes" if 2 * sum(wrong) < max(len(wrong), 1) else "no"


def _counted(differences: Sequence[Difference]) -> str:
    return (
        f"higher in {sum(each.mean > 0 for each in differences)} of {len(differences)}, "
        f"significantly in {sum(each.better for each in differences)}; "
        f"significantly lower in {sum(each.worse for each in differences)}"
    )


def _listed(differences: Sequence[Difference]) -> str:
    return ", ".join(f"{each.mean:+.3f}" for each in differences)
