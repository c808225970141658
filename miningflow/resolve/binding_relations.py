"""Binding of what several concepts take part in: relations, and features with their concept."""

from __future__ import annotations

from miningflow.declare.concept import Concept, Path, Relation
from miningflow.errors import listed, suggestion
from miningflow.read.nodes import Fields, Node, Scalar
from miningflow.resolve.relations import (
    Follower,
    FollowMistake,
    followable,
    seen_from,
    with_rows_of,
)
from miningflow.resolve.step_nodes import StepNodes, Unusable


class RelationBinder(StepNodes):
    """Binds relations, paths along them, and `Concept.feature`."""

    def _relation(self, node: Node) -> Relation:
        relation = self._named_relation(self._scalar(node, "the name of a relation"))
        concept, stand_in = self.values.get("input"), self.values.get(self.parameter.many)
        if isinstance(concept, Concept):
            relation = seen_from(relation, concept)
        try:
            return with_rows_of(relation, stand_in) if stand_in is not None else relation
        except FollowMistake as mistake:
            self.scope.wrong(mistake.message, node.place, mistake.hint)

    def _path(self, node: Node) -> Path:
        start = self.values.get(self.parameter.of)
        if not isinstance(start, Concept):
            raise Unusable
        names = [self._scalar(n, "the name of a relation") for n in self._items(node)]
        if not names:
            self._wrong("takes at least 1 relation", node)
        follower = Follower(start, self.values.get(self.parameter.many) or ())
        for name in names:
            try:
                follower.follow(self._named_relation(name))
            except FollowMistake as mistake:
                known = [relation for relation in self.scope.relations.values() if relation]
                others = followable(follower.here, known)
                hint = f"from {follower.here.name!r} one can follow {listed(others) or 'none'}"
                self.scope.wrong(mistake.message, name.place, mistake.hint or hint)
        try:
            return follower.path()
        except FollowMistake as mistake:
            self.scope.wrong(mistake.message, node.place, mistake.hint)

    def _named_relation(self, name: Scalar) -> Relation:
        if name.text not in self.scope.relations:
            self.scope.wrong(
                f"there is no relation {name.text!r}",
                name.place,
                suggestion(name.text, self.scope.relations, "relations"),
            )
        relation = self.scope.relations[name.text]
        if relation is None:  # its mistake is known
            raise Unusable
        return relation

    def _collected(self, node: Node) -> dict[tuple[str, str], str]:
        path = self.values.get(self.parameter.of)
        if not isinstance(path, Path):
            raise Unusable
        met = [concept.name for concept in path.arrivals]
        concepts = {concept.name: concept for concept in path.arrivals}
        found: dict[tuple[str, str], str] = {}
        renamed = isinstance(node, Fields)
        pairs = list(node) if isinstance(node, Fields) else [(n, n) for n in self._items(node)]
        for key, value in pairs:
            written = self._scalar(key, "`Concept.feature`")
            owner, _, feature = written.text.partition(".")
            owner = self.scope.chains.get(owner, owner)
            if owner not in concepts or feature not in concepts[owner].features:
                known = [f"{c.name}.{f}" for c in concepts.values() for f in c.features]
                self.scope.wrong(
                    f"there is no {written.text!r} on the way",
                    written.place,
                    suggestion(written.text, known, "features"),
                )
            if met.count(owner) > 1:
                self.scope.wrong(
                    f"the way leads to {owner!r} more than once",
                    written.place,
                    "collect in two steps, one after the other",
                )
            if (owner, feature) in found:
                self._wrong(f"names {written.text!r} twice", written)
            name = self._scalar(value, "the new name") if renamed else None
            if name is not None:
                self._nameable(name)
            found[owner, feature] = name.text if name is not None else feature
        if len(found) < (self.parameter.minimum or 0):
            self._wrong(f"takes at least {self.parameter.minimum:g} features", node)
        return found

    def _rename(self, node: Node) -> dict[tuple[str, str], str]:
        if not isinstance(node, Fields):
            self._wrong("takes a map such as {Claim.amount: claim_amount}", node)
        concepts: dict[str, Concept] = {
            c.name: c
            for v in self.values.values()
            if isinstance(v, tuple)
            for c in v
            if isinstance(c, Concept)
        }
        if not concepts:
            raise Unusable
        found: dict[tuple[str, str], str] = {}
        for key, value in node:
            owner, _, feature = key.text.partition(".")
            owner = self.scope.chains.get(owner, owner)
            if owner not in concepts or feature not in concepts[owner].features:
                known = [f"{c.name}.{f}" for c in concepts.values() for f in c.features]
                self.scope.wrong(
                    f"there is no {key.text!r} to rename",
                    key.place,
                    suggestion(key.text, known, "features"),
                )
            name = self._scalar(value, "the new name")
            self._nameable(name)
            found[owner, feature] = name.text
        return found

    def _ends(self, node: Node) -> dict[str, str]:
        concepts: dict[str, Concept] = {c.name: c for c in self.values.get(self.parameter.of) or ()}
        if not concepts:
            raise Unusable
        found: dict[str, str] = {}
        for name in (self._scalar(n, "`Concept.feature`") for n in self._items(node)):
            owner, _, feature = name.text.partition(".")
            owner = self.scope.chains.get(owner, owner)
            if owner not in concepts or feature not in concepts[owner].features:
                known = [f"{c.name}.{f}" for c in concepts.values() for f in c.features]
                self.scope.wrong(
                    f"there is no {name.text!r}",
                    name.place,
                    suggestion(name.text, known, "features"),
                )
            found[owner] = feature
        missing = [c for c in concepts if c not in found]
        if missing:
            self._wrong(f"must name a feature of each concept; {missing[0]!r} has none", node)
        return found
