"""Which steps follow which in specs: counts from the shipped specs, in a generated file, by which completions rank."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from scoring.extensions.editors.expression import step_tree
from scoring.extensions.editors.facts import metric_facts, step_facts
from scoring.extensions.editors.flowing import Follower, Stream
from scoring.extensions.editors.names import SpecNames, spec_names_of
from scoring.extensions.editors.outline import OutlineNode, outline
from scoring.extensions.editors.place import KeyPath
from scoring.extensions.editors.roles import follower_of
from scoring.extensions.editors.uses import expressions_in, uses_in
from scoring.lang.tree import Call, ListValue, MapValue, Pipeline, as_pipeline
from scoring.lazy_pattern import lazy_pattern

HABITS = Path(__file__).with_name("habits.json")
"""The generated file."""
START = "^"
"""What stands before the first step of a pipeline."""
OWN = "<own>"
"""Stands for all definitions, values and parameters of a file, whose names other files don't know."""
_MOST_STEPS = 5_000


class HabitContext(Struct, frozen=True):
    """What stands around the next step, as far as habits go by it.

    Attributes:
        before: The step before it, `START` for none.
        earlier: The step before that.
        around: The step in whose argument it stands, with the argument; else what the expression is for.
        type: The type of what flows, with that of the reference.
        role: What the whole expression is for.
        key: The name under which the expression stands.
    """

    before: str
    earlier: str
    around: str
    type: str
    role: str = ""
    key: str = ""

    def counted(self) -> tuple[str, ...]:
        """Return the contexts that are counted, the most general first."""
        return (
            "",
            f"t {self.type}",
            f"b {self.before}",
            f"a {self.around}",
            f"ab {self.around} {self.before}",
            f"bb {self.earlier} {self.before}",
            f"tb {self.type} {self.before}",
            f"r {self.role} {self.before}",
            f"k {self.key} {self.before}",
        )


Habits = Mapping[str, Mapping[str, int]]
"""How often each name came in each context."""


_WORD = lazy_pattern(r"[^\W_]+")


_COMMON = frozenset({
    "a", "an", "and", "are", "as", "at", "by", "for", "from", "in", "into", "is", "it", "its", "of", "on", "or", "that",
    "the", "their", "them", "to", "what", "with",
})  # fmt: skip


@lru_cache(maxsize=5000)
def plain_words(text: str) -> frozenset[str]:
    """Return the words of a text in lower case, without endings of plurals and without the commonest words."""
    found = (word.removesuffix("s") for word in _WORD.findall(text[:4000].lower()))
    return frozenset(word for word in found if word not in _COMMON and len(word) > 1)


def habit_name(name: str) -> str:
    """Return the name under which habits know a step: `OWN` for one that is no primitive."""
    return name if name == START or name in step_facts() or name in metric_facts() else OWN


def context_of(stream: Stream | None, steps: Iterable[str], around: str, role: str, path: KeyPath) -> HabitContext:
    """Return the context of a step, given what flows, the names of the steps before, and what stands around."""
    known = [START, START, *(map(habit_name, steps))]
    reference = f", {stream.reference}" if stream is not None and stream.is_pair else ""
    kind = "-" if stream is None else f"{stream.type}{reference}"
    callee, dot, argument = around.partition(":")
    outer = f"{habit_name(callee)}:{argument}" if dot else role
    return HabitContext(known[-1], known[-2], outer, kind, role, key_name(path))


_EXPRESSION_KEYS = frozenset({"score", "parse", "transform", "aggregate", "metric", "prediction", "reference"})


def key_name(path: KeyPath) -> str:
    """Return the name under which an expression stands.

    Examples:
        >>> key_name(("scorers", "close", "score")), key_name(("values", "golds"))
        ('close', 'golds')
    """
    keys = [one for one in path if isinstance(one, str)]
    is_long = len(keys) > 1 and keys[-1] in _EXPRESSION_KEYS
    return keys[-2] if is_long else keys[-1] if keys else ""


def habits_of(names: SpecNames) -> dict[str, Counter[str]]:
    """Return how often each step comes in each context of a spec."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for context, name in _contexts_in(names):
        for key in context.counted():
            found[key][habit_name(name)] += 1
    for path, expected, node in expressions_in(names):
        tree = step_tree(node.text) if expected.role != "record path" else None
        if tree is not None:
            used = {habit_name(use.name) for use in uses_in(tree)}
            for word in topic_words(names.root, path):
                found[f"w {word}"].update(used)
    return found


def topic_words(root: OutlineNode, path: KeyPath) -> frozenset[str]:
    """Return the words that say what an expression is about: of its keys, and of the nearest `doc` around it."""
    keys = [one for one in path if isinstance(one, str)]
    texts, node = [" ".join(keys[-2:] if len(keys) > 2 else keys[-1:])], root
    docs = []
    for part in path[:-1]:
        inner = node.get(part) if isinstance(part, str) else None
        doc = node.get("doc")
        docs += [doc.text] if doc is not None else []
        if inner is None:
            break
        node = inner
    doc = node.get("doc")
    docs += [doc.text] if doc is not None else []
    name = root.get("name")
    short = len(docs) < 2 and name is not None
    return plain_words(" ".join((*texts, *docs[-1:], *([name.text] if short and name is not None else []))))


def _contexts_in(names: SpecNames) -> Iterator[tuple[HabitContext, str]]:
    for path, expected, node in expressions_in(names):
        tree = step_tree(node.text) if expected.role != "record path" else None
        if tree is None:
            continue
        follower = follower_of(names, expected)
        waiting: list[tuple[Pipeline, Stream | None, str]] = [(tree, expected.stream, "")]
        for _ in range(_MOST_STEPS):
            if not waiting:
                break
            pipeline, stream, around = waiting.pop()
            before: list[str] = []
            if pipeline.head is not None and stream is not None:
                stream = follower.pipeline(stream, replace(pipeline, steps=()))
            for call in pipeline.steps:
                yield context_of(stream, before, around, expected.role, path), call.name
                waiting += _inside(follower, stream, call)
                if stream is not None:
                    stream = follower.pipeline(stream, Pipeline((call,)))
                before.append(call.name)


def _inside(follower: Follower, stream: Stream | None, call: Call) -> Iterator[tuple[Pipeline, Stream | None, str]]:
    """Yield the pipelines in the arguments of a call, with what flows into each."""
    from scoring.extensions.editors.expression import OpenPart

    arguments = [("", value) for value in call.args] + list(call.kwargs)
    for index, (name, argument) in enumerate(arguments):
        part = OpenPart("call", call.name, key=name, index=index)
        inner, _, known = (None, None, name) if stream is None else follower.into(stream, part)
        values = [argument]
        if isinstance(argument, MapValue):
            values = [one for _, one in argument.items]
        elif isinstance(argument, ListValue):
            values = [*argument.items]
        for value in values:
            tree = as_pipeline(value)
            if isinstance(tree, Pipeline):
                yield tree, inner, f"{call.name}:{known}"


# ---- the generated file


def shipped_habits(folder: Path, *, but: Path | None = None) -> dict[str, Counter[str]]:
    """Return the habits of all shipped specs together.

    Args:
        folder: The folder of the specs.
        but: A spec that is left out.
    """
    total: dict[str, Counter[str]] = defaultdict(Counter)
    for path in spec_files_below(folder):
        if path != but:
            for key, counts in habits_of(spec_names_of(outline(path.read_text("utf-8")), path.parent)).items():
                total[key].update(counts)
    return pruned(total)


def pruned(habits: Habits) -> dict[str, Counter[str]]:
    """Return habits without what was seen once in narrow contexts and beside words, so that the file stays small."""
    found: dict[str, Counter[str]] = {}
    for key, counts in habits.items():
        fewest = 2 if key.startswith(("bb ", "w ", "tb ", "r ", "k ")) else 1
        kept = Counter({name: count for name, count in counts.items() if count >= fewest})
        if kept:
            found[key] = kept
    return found


def spec_files_below(folder: Path) -> list[Path]:
    """Return the shipped specs, in order."""
    return sorted(path for path in folder.glob("**/*.yaml") if "conformance" not in path.parts)


def habits_text(habits: Habits) -> str:
    """Return the text of the generated file: one line for each context."""
    lines = []
    for key in sorted(habits):
        counts = dict(sorted(habits[key].items()))
        lines.append(f"{json.dumps(key)}:{json.dumps(counts, separators=(',', ':'))}")
    return "{" + ",\n".join(lines) + "}\n"


@cache
def known_habits() -> Habits:
    """Return the habits in the generated file."""
    try:
        found: Habits = json.loads(HABITS.read_text("utf-8"))
    except FileNotFoundError:  # while it is generated for the first time
        return {}
    return found


def editor_files() -> dict[str, str]:
    """Return the text of the generated files of this room, by its path in the repository."""
    from scoring.extensions.editors.facts import FACTS, facts_text
    from scoring.format.shipped import data_folder
    from scoring.registry import registry

    folder = "scoring/extensions/editors"
    habits = habits_text(shipped_habits(data_folder("specs")))
    return {f"{folder}/{FACTS.name}": facts_text(registry), f"{folder}/{HABITS.name}": habits}
