"""A public function's name has one meaning: who reads an import need not ask which module it comes from."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Mapping

from tests.architecture.source import PACKAGE, File, Function, files, hold

# Names that several modules define for a reason, with the reason. An entry that is no longer needed must be deleted.
_ALLOWED = {
    "variants": "a word of specs, and the decorator, for plug-ins, that declares several primitives by one body"
}


def _registered(function: Function) -> bool:
    """Tell whether a decorator takes the function's name as a word of specs, of which several roles may have one."""
    decorators = (node.func if isinstance(node, ast.Call) else node for node in function.decorator_list)
    names = {ast.unparse(node) for node in decorators}
    return "primitive" in names or any(name.endswith(".declare") for name in names)


def _overload(function: Function) -> bool:
    return any(ast.unparse(node) == "overload" for node in function.decorator_list)


def _meanings(of: Iterable[File]) -> dict[str, list[str]]:
    """Return the places of each name of several modules, unless each declares it as a word of specs."""
    found: dict[str, list[tuple[str, bool]]] = defaultdict(list)
    for file in of:
        for node in file.tree.body:
            if isinstance(node, Function) and not node.name.startswith("_") and not _overload(node):
                found[node.name].append((file.place, _registered(node)))
    return {
        name: [place for place, _ in places]
        for name, places in sorted(found.items())
        if len({place for place, _ in places}) > 1 and not all(registered for _, registered in places)
    }


def _offences(found: Mapping[str, list[str]], allowed: Iterable[str]) -> list[str]:
    several = [f"`{name}`: {', '.join(places)}" for name, places in found.items() if name not in allowed]
    return several + [f"`{name}` has one meaning: delete its exception" for name in allowed if name not in found]


def test_a_public_function_name_has_one_meaning() -> None:
    law = "a public function's name is defined in one module; rename the others, or make them private"
    hold(law, _offences(_meanings(files()), _ALLOWED))


def _file(place: str, text: str) -> File:
    return File(PACKAGE / place, text, ast.parse(text))


def test_two_meanings_are_found_and_words_of_specs_are_none() -> None:
    read = "def read(): ...\n"
    word = "@primitive(laws=())\ndef read(): ...\n"
    assert _meanings([_file("a.py", read), _file("b.py", read)]) == {"read": ["a.py", "b.py"]}
    assert _meanings([_file("a.py", read), _file("b.py", word)]) == {"read": ["a.py", "b.py"]}
    assert _meanings([_file("a.py", word), _file("b.py", word.replace("primitive", "_labels.declare"))]) == {}
    assert (
        _meanings([_file("a.py", f"@overload\n{read}@overload\n{read}{read}"), _file("b.py", "def _read(): ...")]) == {}
    )


def test_an_exception_that_is_no_longer_needed_is_an_offence() -> None:
    assert _offences({}, {"read": "why"}) == ["`read` has one meaning: delete its exception"]
    assert _offences({"read": ["a.py", "b.py"]}, {"read": "why"}) == []
