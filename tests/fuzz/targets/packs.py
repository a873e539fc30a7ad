"""Every scorer and every parser of the packs that are shipped."""

from __future__ import annotations

from functools import cache
from random import Random
from typing import Any, NamedTuple

import scoring
from scoring.diagnostics.diagnostic import SpecError
from scoring.format.definitions import NO_DEFAULT, Definition
from scoring.format.load import Loader
from scoring.format.model import Pack
from scoring.format.packs import packs_of
from scoring.values import ANY
from tests.fuzz import drawing, seeds
from tests.fuzz.generators import corpus, mutate, values
from tests.fuzz.target import Refused, Subject, Target
from tests.fuzz.targets.pairs import ParserSubject, ScorerSubject
from tests.fuzz.targets.primitives import INNER

PACKS = ("anls", "megabench", "megabench-upstream", "mmesgbench", "mmesgbench-upstream", "valor", "valor-lite")
"""Those whose definitions compute; what a judge says has targets of its own."""


class Member(NamedTuple):
    """One definition of a pack, with its examples as tuples of data."""

    address: str
    definition: Definition
    examples: list[tuple[Any, ...]]


@cache
def members(role: str) -> tuple[Member, ...]:
    """The definitions of all packs in one role."""
    found = []
    for name in PACKS:
        spec = packs_of(Loader()).by_name(name, "").spec
        assert isinstance(spec, Pack)
        for definition in getattr(spec, f"{role}s").values():
            keys = ("prediction", "reference") if role == "scorer" else ("prediction",)
            examples = [tuple(one.data.get(key) for key in keys) for one in definition.examples]
            found.append(Member(f"{name}@{spec.version}:{definition.name}", definition, examples))
    return tuple(found)


@cache
def member(role: str, address: str) -> Member:
    """The definition that an address names."""
    return next(one for one in members(role) if one.address == address)


def params(random: Random, definition: Definition) -> dict[str, Any]:
    """Values for some parameters: near their defaults, of the same type, or anything."""
    found = {}
    for param in definition.params:
        if param.default is not NO_DEFAULT and not param.takes_pipeline and random.randrange(2):
            continue
        if param.takes_pipeline:
            found[param.name] = random.choice(INNER)
        elif param.default is NO_DEFAULT or values.chance(random, 6):
            found[param.name] = values.anything(random, 2)
        else:
            found[param.name] = mutate.value(random, param.default, corpus.texts())
    return found


class _Definitions(Target):
    role: str

    def setup(self, random: Random) -> Any:
        found = random.choice(members(self.role))
        return {"address": found.address, "params": params(random, found.definition)}

    def member(self, setup: Any) -> str:
        return str(setup["address"])


class Packs(_Definitions):
    """Scorers."""

    name = "packs"
    weight = 3.0
    role = "scorer"

    def given(self, random: Random, setup: Any) -> Any:
        examples = member(self.role, setup["address"]).examples
        context = values.anything(random, 2) if values.chance(random, 8) else None
        return [*drawing.pair(random, ANY, ANY, examples), context]

    def open(self, setup: Any) -> Subject:
        try:
            return ScorerSubject(scoring.scorer(setup["address"], **setup["params"]))
        except SpecError as error:
            raise Refused from error


class Parsers(_Definitions):
    """Parsers of responses."""

    name = "parsers"
    role = "parser"

    def given(self, random: Random, setup: Any) -> Any:
        examples = [one[0] for one in member(self.role, setup["address"]).examples if isinstance(one[0], str)]
        kind = random.randrange(8)
        if kind == 0:
            return values.anything(random, 2)
        if kind < 4 and examples:
            return mutate.text(random, random.choice(examples), corpus.texts())
        if kind < 6:
            return mutate.text(random, random.choice(seeds.read("responses")), corpus.texts())
        return values.text(random)

    def open(self, setup: Any) -> Subject:
        try:
            return ParserSubject(scoring.parser(setup["address"], **setup["params"]))
        except SpecError as error:
            raise Refused from error
