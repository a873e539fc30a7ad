"""A matcher that goes back and tries again, as `re` does, and counts: the judge of what a pattern is said to cost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from scoring.primitives.patterns.cost import charset
from scoring.primitives.patterns.syntax import Anchor, Back, Chars, Choice, Once, PatternNode, Repeat, Sequence


@dataclass
class Matcher:
    """Searches one text, and counts the characters and places that it looks at."""

    text: str
    steps: int = 0

    def search(self, tree: PatternNode) -> tuple[int, int] | None:
        """The first match from the left."""
        for place in range(len(self.text) + 1):
            for end in self.ends(tree, place):
                return place, end
        return None

    def ends(self, node: PatternNode, place: int) -> Iterator[int]:
        """Where a part can end that begins at a place, in the order in which `re` tries them."""
        self.steps += 1
        if isinstance(node, Chars):
            if place < len(self.text) and charset(node).pattern.fullmatch(self.text[place]):
                yield place + 1
        elif isinstance(node, Sequence):
            yield from self._parts(node.parts, place)
        elif isinstance(node, Choice):
            for branch in node.branches:
                yield from self.ends(branch, place)
        elif isinstance(node, Repeat):
            turns = self._turns(node, place, 0)
            yield from [end for end in [next(turns, None)] if end is not None] if node.mode == "possessive" else turns
        elif isinstance(node, Once):
            end = next(self.ends(node.body, place), None)
            if node.look and (end is None) == node.negative:
                yield place
            elif not node.look and end is not None:
                yield end
        elif isinstance(node, Anchor) and self._holds(node, place):
            yield place
        assert not isinstance(node, Back), "what a group has taken is not followed here"

    def _parts(self, parts: tuple[PatternNode, ...], place: int) -> Iterator[int]:
        if not parts:
            yield place
            return
        for end in self.ends(parts[0], place):
            yield from self._parts(parts[1:], end)

    def _turns(self, node: Repeat, place: int, done: int) -> Iterator[int]:
        if node.mode == "lazy" and done >= node.low:
            yield place
        if node.high is None or done < node.high:
            for end in self.ends(node.body, place):
                if end > place or done < node.low:
                    yield from self._turns(node, end, done + 1)
                else:  # a turn that takes nothing is the last
                    yield end
        if node.mode != "lazy" and done >= node.low:
            yield place

    def _holds(self, node: Anchor, place: int) -> bool:
        at_end = place == len(self.text) or (node.kind == "$" and self.text[place:] == "\n")
        if node.kind in "^A":
            return place == 0
        if node.kind in "$Z":
            return at_end
        before, after = self.text[place - 1 : place] if place else "", self.text[place : place + 1]
        is_word = [one.isalnum() or one == "_" for one in (before, after)]
        # Before Python 3.14 nothing holds in an empty text, `\\B` neither.
        return bool(self.text) and (is_word[0] != is_word[1]) == (node.kind == "b")
