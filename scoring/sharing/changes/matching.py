"""Which parts of two specs are one: files, and definitions and parameters that are called otherwise now.

A definition that is gone and one that is new are one under another name if they mean the same. A parameter that is gone
and one that is new at its place are one.
"""

from __future__ import annotations

from collections.abc import Mapping

from scoring.diagnostics.diagnostic import SpecError
from scoring.format.model import Definition
from scoring.late import dataclass
from scoring.sharing.changes.meanings import definition_meanings
from scoring.sharing.changes.names import SpecFiles, SpecRenaming


@dataclass(frozen=True, slots=True)
class SpecMatching:
    """What is one in two specs.

    Args:
        files: The numbers of each file in the old and in the new spec; None where only the other has it.
        imports: For each of these files the aliases of both sides, and the place of what they open among ``files``.
        renaming: What names of the old side are called on the new one.
    """

    files: tuple[tuple[int | None, int | None], ...]
    imports: tuple[Mapping[str, int], ...]
    renaming: SpecRenaming


def matched(old: SpecFiles, new: SpecFiles) -> SpecMatching:
    """What is one in two specs.

    Raises:
        SpecError: when one of them is broken.
    """
    pairs = _paired(old, new)
    partners = dict(pairs)
    files: list[tuple[int | None, int | None]] = [(before, after) for before, after in pairs]
    files += [(number, None) for number in range(len(old.files)) if number not in partners]
    files += [(None, number) for number in range(len(new.files)) if number not in partners.values()]
    of_old = {before: place for place, (before, _) in enumerate(files) if before is not None}
    of_new = {after: place for place, (_, after) in enumerate(files) if after is not None}
    aliases: dict[int, dict[str, str]] = {}
    imports: list[Mapping[str, int]] = []
    for before, after in files:
        found = {} if after is None else {alias: of_new[number] for alias, number in new.imports[after].items()}
        for alias, number in ({} if before is None else old.imports[before]).items():
            called = _alias(alias, of_old[number], found)
            found[called] = of_old[number]
            aliases.setdefault(before or 0, {})[alias] = called
        imports.append(found)
    definitions = {before: _renamed(old, new, before, after) for before, after in pairs}
    params = {
        (before, name): _renamed_params(one, new.definitions(after)[definitions[before].get(name, name)])
        for before, after in pairs
        for name, one in old.definitions(before).items()
        if definitions[before].get(name, name) in new.definitions(after)
    }
    return SpecMatching(tuple(files), tuple(imports), SpecRenaming(aliases, definitions, params))


def _paired(old: SpecFiles, new: SpecFiles) -> list[tuple[int, int]]:
    """The files of both that are one: the specs, packs of one name under one alias, packs of one name, then aliases."""
    found, taken = {0: 0}, {0}
    for by_name, by_alias in ((True, True), (True, False), (False, True)):
        waiting = list(found.items())
        for before, after in waiting:  # which grows as files are found
            for alias, number in old.imports[before].items():
                name = old.files[number].spec.name
                for other_alias, other in new.imports[after].items():
                    fits = (not by_alias or alias == other_alias) and (
                        not by_name or new.files[other].spec.name == name
                    )
                    if number not in found and other not in taken and fits:
                        found[number] = other
                        taken.add(other)
                        waiting.append((number, other))
    return list(found.items())


def _alias(alias: str, place: int, known: Mapping[str, int]) -> str:
    """What an alias of the old side is called where it opens what one of the new side does, or meets another one."""
    same_file = next((name for name, other in known.items() if other == place), None)
    if same_file is not None:
        return same_file
    while known.get(alias, place) != place:
        alias = f"{alias}_before"
    return alias


def _renamed(old: SpecFiles, new: SpecFiles, before: int, after: int) -> dict[str, str]:
    """The definitions of a file that have another name now."""
    one, other = old.definitions(before), new.definitions(after)
    gone, come = ([name for name in mine if name not in yours] for mine, yours in ((one, other), (other, one)))
    if not gone or not come:
        return {}
    try:
        meant = definition_meanings(old.files[before], old.loader)
        means = definition_meanings(new.files[after], new.loader)
    except SpecError:
        return {}  # of a pack that reads values which only its task declares
    found: dict[str, str] = {}
    for name in gone:
        twin = next((new for new in come if new not in found.values() and means[new] == meant[name]), None)
        if twin is not None:
            found[name] = twin
    return found


def _renamed_params(old: Definition, new: Definition) -> dict[str, str]:
    """The parameters of a definition that have another name now: at one place, and of one kind."""
    before, after = ({param.name for param in one.params} for one in (old, new))
    return {
        one.name: other.name
        for one, other in zip(old.params, new.params, strict=False)
        if one.name not in after and other.name not in before and one.takes_pipeline == other.takes_pipeline
    }
