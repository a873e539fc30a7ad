"""Reading the ``judges:`` section of a pack: each program becomes a definition, a pipeline of one step.

A program that ends in a score becomes a scorer, one that ends in a value a parser. Its inputs are read from the
record unless they are the prediction or the reference.
"""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from scoring.diagnostics.diagnostic import SpecError
from scoring.extensions.judge.programs.program import (
    JudgeProgram,
    ProgramError,
    load_program,
    programs_of,
    self_contained,
)
from scoring.format.definitions import Definition, DefinitionRole, Parameter
from scoring.format.keys import ReadsValues
from scoring.format.nodes import SpecNode
from scoring.format.sections import DefinitionDeprecation
from scoring.lang.parser import parse_path
from scoring.lang.tree import Call, Pipeline, Value, value_from_data

_SIDES = ("prediction", "reference")
# The arguments that a spec may set where it uses a program: `mine.helpfulness(samples=3, combine="mean")`.
_RESTARTS = Parameter("restarts", None, doc="How often the program is restarted after an invalid reply.")
_OPINIONS = (
    Parameter("samples", 1, doc="How many opinions each judge is asked for."),
    Parameter("combine", "majority", doc="How several opinions become one score: majority, mean or median."),
)


def judge_definitions(node: SpecNode, building: ReadsValues) -> dict[str, Definition]:
    """Return a definition (a named scorer or parser, for use in specs) for each judge program in a ``judges:`` section,
    by the program's name.

    Args:
        node: The section.
        building: The builder that makes objects from parts of the spec file.

    Raises:
        SpecError: when a program is malformed, located at its name.
    """
    section: Any = node.plain()
    found = {name: _definition(name, section, node) for name in programs_of(section)}
    deprecations = {name: node[name].get("deprecated") for name in found}
    return {
        name: one if deprecations[name] is None else _deprecated(one, deprecations[name], building)
        for name, one in found.items()
    }


def _deprecated(definition: Definition, node: SpecNode | None, building: ReadsValues) -> Definition:
    """Return a copy of the definition, marked as deprecated as its `deprecated` entry (`node`) states; raise SpecError
    if the entry is malformed.
    """
    assert node is not None
    wanted, others = {"for", "since"}, {"why"}
    texts = all(item.is_text or key == "for" for key, item in node.entries.items())
    if not wanted <= node.entries.keys() <= wanted | others or not texts:
        raise _refuse("`deprecated` has an expression under `for`, a text under `since`, perhaps one under `why`", node)
    return replace(definition, deprecated=building.make(DefinitionDeprecation, node))


def _definition(name: str, section: dict[str, Any], node: SpecNode) -> Definition:
    entry = node[name]
    try:
        program = load_program(name, section)
    except SpecError as error:
        raise _refuse("; ".join(str(found.message) for found in error.diagnostics), entry) from None
    except ProgramError as error:
        raise _refuse(str(error), entry) from None
    source = section[name].get("source", "")
    role: DefinitionRole = "scorer" if program.score is not None else "parser"
    params = tuple(
        param for param in (_RESTARTS, *(_OPINIONS if role == "scorer" else ())) if param.name not in program.inputs
    )
    # In the call, each parameter of the definition is passed as an expression that is just its name.
    by_name = ((param.name, Pipeline((Call(param.name, (), ()),))) for param in params)
    arguments = (*_arguments(name, section, program), *by_name)
    call = Call("judged" if role == "scorer" else "judge_extract", (), arguments)
    return Definition(
        name, role, Pipeline((call,)), params=params, doc=program.doc, source=str(source), span=entry.key_span
    )


def _refuse(message: str, entry: SpecNode) -> SpecError:
    return SpecError.of(
        "bad-judge", message, entry.key_span or entry.span, help="docs/judge.md describes the form of judge programs"
    )


def _arguments(name: str, section: dict[str, Any], program: JudgeProgram) -> tuple[tuple[str, Value], ...]:
    inputs: list[tuple[str, Value]] = [
        (key, parse_path(declared.path)) for key, declared in program.inputs.items() if declared.path not in _SIDES
    ]
    return (("program", value_from_data(self_contained(name, section))), *inputs)
