"""The base of immutable values that compare by some of their attributes, such as syntax nodes without spans."""

from __future__ import annotations

from typing import Any, ClassVar

from msgspec import Struct


class PartlyCompared(Struct, frozen=True, eq=False):
    """An immutable value of which equality, hash and `repr` leave out the attributes that its class names in ``aside``.

    Examples:
        >>> class Word(PartlyCompared, frozen=True, eq=False):
        ...     text: str
        ...     span: int = 0
        >>> Word("a", 1) == Word("a", 2), Word("a", 1)
        (True, Word(text='a'))
    """

    aside: ClassVar[tuple[str, ...]] = ("span",)

    def compared(self) -> dict[str, Any]:
        """Return by name the values of the attributes that are compared."""
        return {name: getattr(self, name) for name in self.__struct_fields__ if name not in self.aside}

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self.compared() == other.compared()

    def __hash__(self) -> int:
        return hash(tuple(self.compared().values()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.compared().items())})"
