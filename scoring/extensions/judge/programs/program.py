"""Judge programs: steps that ask a judge, then a formula over its replies. They are data of a pack, not Python.

An entry of a pack's ``judges:`` section is either a question (``prompt`` and ``reply``), which programs share by
name, or a program (``steps`` and ``score`` or ``value``), or both combined: a question with a score. docs/judge.md
describes every key. Everything is checked when the pack is loaded: unknown keys, names without a value, schemas.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from msgspec import Struct

from scoring.extensions.judge.calls import InvalidReply
from scoring.extensions.judge.programs.formula import WrongType, describe_kind, evaluate_program_formula, names_in
from scoring.extensions.judge.programs.replies import (
    ANYTHING,
    AS_MANY_AS,
    ReplyReader,
    SchemaError,
    names_of_counted_lists,
)
from scoring.extensions.judge.prompt import LAYOUT, SYSTEM, digest_ascii_json
from scoring.result import Unscored


class ProgramError(ValueError):
    """The error that a judge program is malformed, with its name and what is wrong."""


class JudgeInstruction(Struct, frozen=True):
    """A question of a judge program: the prompt, the system message, and the reader of its replies."""

    name: str
    prompt: str
    system: str
    reader: ReplyReader
    digest: str


class Ask(Struct, frozen=True):
    """A step of a program that asks the judge a question.

    ``show`` pairs each label in the prompt with the name of the value shown under it; ``gives`` pairs each name that
    gets a value with its path in the reply; ``checks`` are formulas that must hold, or the reply is invalid.
    """

    instruction: JudgeInstruction
    show: tuple[tuple[str, str], ...]
    gives: tuple[tuple[str, str], ...]
    checks: tuple[str, ...] = ()


class Decide(Struct, frozen=True):
    """A step of a program that ends it if a condition holds: with a score, or unscored for a reason."""

    condition: str
    score: str | None
    reason: str


class ForEach(Struct, frozen=True):
    """A step of a program that runs other steps for every item of a list.

    ``over`` is the name of the list, ``variable`` that of the current item; ``collect`` pairs a name with a formula,
    whose values for all items become a list of that name.
    """

    variable: str
    over: str
    steps: tuple[JudgeStep, ...]
    collect: tuple[tuple[str, str], ...]


JudgeStep: TypeAlias = Ask | Decide | ForEach


class Input(Struct, frozen=True):
    """An input of a program: its path in the record, whether it is a list, and whether a prompt or formula uses it, so
    that it must have a value.
    """

    path: str
    is_list: bool = False
    is_used: bool = True


@dataclass(frozen=True, slots=True)
class JudgeProgram:
    """A loaded judge program, which computes a score or extracts a value.

    Either ``score`` or ``value`` is a formula over the names that the steps define. A score is between ``low`` and
    ``high``; ``restarts`` is how often the program may start again after an invalid reply.
    """

    name: str
    inputs: Mapping[str, Input]
    steps: tuple[JudgeStep, ...]
    score: str | None
    value: str | None
    low: float = 0.0
    high: float = 1.0
    restarts: int | None = None
    doc: str = ""
    digest: str = field(default="", compare=False)


_QUESTION_KEYS = {"prompt", "reply", "system"}
_PROSE = {"doc", "source", "examples", "deprecated"}
_PROGRAM_KEYS = {"inputs", "steps", "score", "value", "range", "restarts", "version"} | _PROSE
_ASK_KEYS = {"ask", "show", "gives", "check"} | _QUESTION_KEYS


def programs_of(section: Mapping[str, Any]) -> list[str]:
    """Return the names of the programs in a ``judges:`` section: entries with a `score` or a `value`; the other entries
    are questions that programs share.
    """
    return [name for name, entry in section.items() if isinstance(entry, Mapping) and {"score", "value"} & set(entry)]


def load_program(name: str, section: Mapping[str, Any]) -> JudgeProgram:
    """Return the program of the given name in a ``judges:`` section, checked.

    Raises:
        ProgramError: when the program is malformed.
    """
    try:
        return _Loader(name, section).program()
    except (SchemaError, ValueError, TypeError) as error:
        raise error if isinstance(error, ProgramError) else ProgramError(f"judge `{name}`: {error}") from None


def self_contained(name: str, section: Mapping[str, Any]) -> dict[str, Any]:
    """Return a program's entry of a ``judges:`` section, and those of the questions that the program uses, as plain
    data: the argument `program` of the primitive `judged`, which runs the program.

    Keys that only document an entry (doc, source, …) are left out.
    """
    loader = _Loader(name, section)
    loader.program()
    needed = [name, *(used.partition(" ")[2] for used in loader.used)]
    kept = {key: section[key] for key in dict.fromkeys(needed)}
    return {"name": name, "judges": {key: {k: v for k, v in kept[key].items() if k not in _PROSE} for key in kept}}


class _Loader:
    def __init__(self, name: str, section: Mapping[str, Any]) -> None:
        self.name = name
        self.section = section
        self.entry = _mapping(section.get(name), f"judge `{name}`")
        self.used: dict[str, Any] = {}
        self.used_names: set[str] = set()

    def program(self) -> JudgeProgram:
        entry = self.entry
        self._keys(entry, _PROGRAM_KEYS | _ASK_KEYS, "it")
        paths = {key: str(path) for key, path in _mapping(entry.get("inputs", {}), "`inputs`").items()}
        # Each defined name with a sample value; a formula that fails on the types of these can never work.
        known = {key: [ANYTHING] if path.endswith("[]") else ANYTHING for key, path in paths.items()}
        written = entry.get("steps") or [{key: entry[key] for key in _ASK_KEYS if key in entry}]
        steps = self._steps(written, known)
        if ("score" in entry) == ("value" in entry):
            raise self._wrong("it has either `score` or `value`")
        score = str(entry["score"]) if "score" in entry else None
        value = str(entry["value"]) if "value" in entry else None
        if score is None:
            self._names({str(value)}, known, "`value`")
        elif not isinstance(found := self._formula(score, known, "`score`"), (int, float, type(ANYTHING))):
            raise self._wrong(f"`score` can never work: it is {describe_kind(found)}, not a number")
        inputs = {
            key: Input(path.removesuffix("[]"), path.endswith("[]"), key in self.used_names)
            for key, path in paths.items()
        }
        low, high = map(float, entry.get("range", (0.0, 1.0)))
        own = {key: entry[key] for key in _PROGRAM_KEYS - {"doc", "deprecated"} if key in entry}
        made_of = digest_ascii_json({"layout": LAYOUT, "questions": self.used, **own})
        rest = low, high, entry.get("restarts"), str(entry.get("doc", "")), made_of
        return JudgeProgram(self.name, inputs, steps, score, value, *rest)

    def _steps(self, written: Any, known: dict[str, Any]) -> tuple[JudgeStep, ...]:
        if not isinstance(written, Sequence) or isinstance(written, str):
            raise self._wrong("`steps` is a list")
        return tuple(self._step(_mapping(step, "a step"), known) for step in written)

    def _step(self, step: Mapping[str, Any], known: dict[str, Any]) -> JudgeStep:
        if "if" in step:
            return self._decide(step, known)
        return self._for_each(step, known) if "for_each" in step else self._ask(step, known)

    def _decide(self, step: Mapping[str, Any], known: dict[str, Any]) -> Decide:
        self._keys(step, {"if", "score", "unscored"}, "a step with `if`")
        if ("score" in step) == ("unscored" in step):
            raise self._wrong("a step with `if` has either `score` or `unscored`")
        score = str(step["score"]) if "score" in step else None
        for text in (str(step["if"]), score):
            if text is not None:
                self._formula(text, known, "`if`")
        return Decide(str(step["if"]), score, str(step.get("unscored", "")))

    def _for_each(self, step: Mapping[str, Any], known: dict[str, Any]) -> ForEach:
        self._keys(step, {"for_each", "steps", "collect"}, "a step with `for_each`")
        pairs = list(_mapping(step["for_each"], "`for_each`").items())
        if len(pairs) != 1:
            raise self._wrong("`for_each` names one variable and one list")
        ((variable, over),) = pairs
        self._names({str(over)}, known, "`for_each`")
        items = known[str(over)]
        if items is not ANYTHING and not isinstance(items, list):
            raise self._wrong(f"`for_each` needs a list, but `{over}` is {describe_kind(items)}")
        inside = known | {str(variable): items[0]}
        steps = self._steps(step.get("steps"), inside)
        collect = {str(key): str(text) for key, text in _mapping(step.get("collect", {}), "`collect`").items()}
        known.update({key: [self._formula(text, inside, "`collect`")] for key, text in collect.items()})
        return ForEach(str(variable), str(over), steps, tuple(collect.items()))

    def _ask(self, step: Mapping[str, Any], known: dict[str, Any]) -> Ask:
        self._keys(step, _ASK_KEYS, "a step that asks")
        instruction = self._instruction(step)
        show = _pairs(step.get("show", []))
        self._names({name for _, name in show}, known, "`show`")
        for name in names_of_counted_lists(instruction.reader.schema):
            self._names({name}, known, f"`{AS_MANY_AS}`")
        gives = tuple((str(key), str(path)) for key, path in _mapping(step.get("gives", {}), "`gives`").items())
        for key, path in gives:
            try:
                known[key] = instruction.reader.specimen(path)
            except InvalidReply as error:
                raise self._wrong(f"`gives` reads `{path}`, which no reply can have: {error}") from None
        checks = step.get("check", [])
        listed = tuple(str(check) for check in ([checks] if isinstance(checks, str) else checks))
        for check in listed:
            self._formula(check, known, "`check`")
        return Ask(instruction, show, gives, listed)

    def _instruction(self, step: Mapping[str, Any]) -> JudgeInstruction:
        name = str(step.get("ask", self.name))
        if "ask" in step:
            data = _mapping(self.section.get(name), f"judge `{self.name}`: the question `{name}`")
            self._keys(data, _QUESTION_KEYS | {"doc"} if "steps" not in data else set(), f"the question `{name}`")
        else:
            data = {key: step[key] for key in _QUESTION_KEYS if key in step}
        if "prompt" not in data or "reply" not in data:
            raise self._wrong(f"the question `{name}` needs a `prompt` and a `reply`")
        system = str(data.get("system", SYSTEM))
        made_of = {"prompt": str(data["prompt"]), "reply": data["reply"], "system": system, "layout": LAYOUT}
        self.used[f"{len(self.used)} {name}"] = made_of
        return JudgeInstruction(
            name, made_of["prompt"], system, ReplyReader(_reply(data["reply"])), digest_ascii_json(made_of)
        )

    def _formula(self, text: str, known: Mapping[str, Any], where: str) -> Any:
        """Return the value of a formula for sample values (`known`), to find formulas that can never work; ANYTHING, a
        placeholder, if it can't be determined before the judge replies.

        `where` is the location of the formula, for messages.

        Raises:
            ProgramError: when a name has no value, or a type does not allow the operation.
        """
        used = names_in(text, known)
        self._names(used, known, where)
        try:
            return ANYTHING if any(_unknown(known[name]) for name in used) else evaluate_program_formula(text, known)
        except WrongType as error:
            raise self._wrong(f"{where} can never work: {error}") from None
        except Unscored:  # such as a division by zero, which other values may not cause
            return ANYTHING

    def _names(self, used: set[str], known: Mapping[str, Any], where: str) -> None:
        self.used_names |= used
        for name in sorted(used - set(known)):
            raise self._wrong(f"{where} uses `{name}`, which has no value there; known: {', '.join(sorted(known))}")

    def _keys(self, data: Mapping[str, Any], known: set[str], what: str) -> None:
        for key in data:
            if key not in known:
                raise self._wrong(f"{what} has the unknown key `{key}`; known: {', '.join(sorted(known))}")

    def _wrong(self, message: str) -> ProgramError:
        return ProgramError(f"judge `{self.name}`: {message}")


def _unknown(value: Any) -> bool:
    return value is ANYTHING or (isinstance(value, list) and any(map(_unknown, value)))


def _mapping(value: Any, what: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise ProgramError(f"{what} should be a mapping")
    return value


def _pairs(show: Any) -> tuple[tuple[str, str], ...]:
    if isinstance(show, Mapping):
        return tuple((str(label), str(name)) for label, name in show.items())
    return tuple((str(name), str(name)) for name in ([show] if isinstance(show, str) else show))


def _reply(declared: Any) -> Mapping[str, Any]:
    return {declared: {}} if isinstance(declared, str) else _mapping(declared, "`reply`")
