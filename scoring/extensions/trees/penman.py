"""Graphs of meaning in PENMAN notation, as corpora of AMR write them, read into triples."""

from __future__ import annotations

from typing import Any

from scoring.registry import primitive
from scoring.result import Unparsed

_INVERSE = "-of"
_NO_INVERSES = {"prep-on-behalf-of", "prep-out-of", "consist-of"}


@primitive(
    revision=2,
    topics=("lists", "extraction"),
    aka=("amr", "abstract meaning representation", "penman", "semantic graph"),
)
def amr_triples(text: str, /) -> list[Any]:
    """Read a graph in PENMAN notation, `(w / want-01 :arg0 (b / boy))`, as triples of relation, variable and target.

    Variables are integers, counted from 0 as they open; concepts and constants are texts, in lower case, without
    quotes. Inverse relations (`arg0-of`) are turned round, `mod` is the inverse of `domain`, and the first variable has
    the triple `["top", 0, "top"]`. A relation called `instance` is `:instance`, since only concepts are instances.
    Lines with `#` at their beginning are comments; a graph ends at a blank line.

    A graph that breaks off is read as far as it goes, if each variable has a concept.

    Raises:
        Unparsed: when a bracket closes that none opens, a relation has no target, or a variable has no concept, or
            opens twice.

    Examples:
        >>> amr_triples("(w / want-01 :ARG0 (b / boy) :polarity -)")
        [['instance', 0, 'want-01'], ['arg0', 0, 1], ['polarity', 0, '-'], ['top', 0, 'top'], ['instance', 1, 'boy']]

    Source:
        Banarescu et al.: Abstract meaning representation for sembanking, 2013; as read by snowblink14/smatch amr.py.
    """
    reading = _Reading()
    try:
        for letter in _graph(text):
            reading.take(letter)
        return reading.triples()
    except IndexError:  # something closes or relates that nothing opened
        raise Unparsed("a bracket closes, or a relation begins, outside of the graph") from None


def _graph(text: str) -> str:
    """Return the first graph of a text on one line, without comments."""
    lines: list[str] = []
    for line in map(str.strip, text.split("\n")):
        if not line and lines:
            break
        if line and not line.startswith("#"):
            lines.append(line)
    return "".join(lines).strip()


class _Reading:
    """A graph that is read letter by letter; ``_mark`` is the last of the letters `(`, `:`, `/` and `)`."""

    def __init__(self) -> None:
        self._mark, self._letters, self._is_quoted = "", [""], False
        self._relation = ""
        self._open: list[str] = []
        self._names: dict[str, int] = {}
        self._concepts: dict[str, str] = {}
        # What is known to relate variables, and what may be a variable that opens later, or a constant.
        self._known: dict[str, list[tuple[str, str]]] = {}
        self._other: dict[str, list[tuple[str, str]]] = {}

    def take(self, letter: str) -> None:
        """Read a letter."""
        if letter == " ":
            if self._mark == ":":
                self._letters.append(letter)
        elif letter == '"':
            self._letters += ["_"] * self._is_quoted  # a constant is never equal to a variable
            self._is_quoted = not self._is_quoted
        elif self._is_quoted or letter not in "(:/)":
            self._letters.append(letter)
        else:
            self._take_mark(letter)

    def _take_mark(self, mark: str) -> None:
        if mark == "(":
            if self._mark == ":":
                if self._relation:
                    raise Unparsed("a relation opens no bracket of its own")
                self._relation = self._word().strip()
        elif mark == "/":
            if self._mark != "(":
                raise Unparsed("a concept stands behind no variable")
            self._name(self._word())
        else:
            if self._mark == ":":
                self._constant(self._word())
            elif self._mark == "/":
                self._concepts[self._open[-1]] = self._word()
            if mark == ")":
                self._open.pop()
                self._relation, mark = "", ""
        self._mark = mark

    def _word(self) -> str:
        word = "".join(self._letters)
        self._letters = []
        return word

    def _name(self, name: str) -> None:
        if name in self._names:
            raise Unparsed(f"the variable `{name[:40]}` opens twice")
        self._open.append(name)
        self._names[name] = len(self._names)
        if self._relation:
            self._relate(self._known, self._open[-2], self._relation, name)
            self._relation = ""

    def _constant(self, text: str) -> None:
        words = text.split()
        if len(words) < 2:
            raise Unparsed(f"the relation `{text.strip()[:40]}` has no target")
        is_variable = words[1] in self._concepts
        self._relate(self._known if is_variable else self._other, self._open[-1], words[0], words[1])

    @staticmethod
    def _relate(into: dict[str, list[tuple[str, str]]], source: str, relation: str, target: str) -> None:
        if relation.endswith(_INVERSE) and relation not in _NO_INVERSES:
            source, relation, target = target, relation.removesuffix(_INVERSE), source
        elif relation == "mod":
            source, relation, target = target, "domain", source
        into.setdefault(source, []).append((relation, target))

    def triples(self) -> list[Any]:
        """Return the triples of all that was read."""
        if not self._names:
            raise Unparsed("there is no graph")
        if lost := [name for name in self._names if name not in self._concepts]:
            raise Unparsed(f"the variable `{lost[0][:40]}` has no concept")
        places = self._names
        found: list[Any] = []
        for name, place in places.items():
            found.append(["instance", place, _plain(self._concepts[name])])
            for relation, target in (*self._known.get(name, ()), *self._other.get(name, ())):
                found.append([_related(relation), place, places[target] if target in places else _plain(target)])
            if place == 0:
                found.append(["top", 0, "top"])
        return found


def _related(relation: str) -> str:
    plain = _plain(relation)
    return f":{plain}" if plain == "instance" else plain


def _plain(text: str) -> str:
    return text.lower().rstrip("_")
