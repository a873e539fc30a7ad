"""What `scoring fmt --fix` changes: the fixes that findings about a file carry, made one round after another."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from scoring.diagnostics.diagnostic import Diagnostic, Fix, SpecError, diagnostic
from scoring.format.load import Loaded, Loader
from scoring.format.model import SuiteSpec
from scoring.format.read import read_source
from scoring.late import dataclass

# A replacement may hold another call that is replaced in its turn; what pack authors write is no chain of so many.
_ROUNDS = 50


@dataclass(frozen=True, slots=True)
class Fixed:
    """A file with its fixes made.

    Args:
        before: Its text.
        after: Its text with them.
        made: How many were made.
        left: The findings that could be mended and were not, or only by hand, and what hinders all of it.
    """

    before: str
    after: str
    made: int = 0
    left: tuple[Diagnostic, ...] = ()


def fixed(path: Path, loader: Loader, *, unsafe: bool = False) -> Fixed:
    """The text of a spec with the fixes made that its findings carry; comments and layout stay.

    Args:
        path: The spec.
        loader: What opens packs.
        unsafe: Whether those are made, too, by which scores can move.

    Raises:
        SpecError: when the file can't be read.
    """
    name = str(path)
    before = text = read_source(path).text
    first = loaded = loader.text(text, path)
    made: list[Fix] = []
    for _ in range(_ROUNDS):
        findings = _findings(loaded, loader)
        if any(one.severity == "error" for one in findings):
            return Fixed(before, before, 0, tuple(findings))
        chosen = _apart(fix for one in findings for fix in one.fixes if fix.is_safe or unsafe)
        if not chosen:
            break
        text = changed(text, chosen)
        loaded = loader.text(text, path)
        made += chosen
    left = tuple(one for one in findings if one.fixes or one.id == "deprecated-use")
    if made and all(fix.is_safe for fix in made) and not _mean_the_same(first, loaded, loader):
        message = f"the fixes of {name} together mean something else, so none was made"
        return Fixed(before, before, 0, (diagnostic("warning", "deprecated-use", message, first.spec.span),))
    return Fixed(before, text, len(made), left)


def changed(text: str, fixes: Sequence[Fix]) -> str:
    """A text with fixes made that do not overlap."""
    for fix in sorted(fixes, key=lambda one: one.span.start, reverse=True):
        text = text[: fix.span.start] + fix.text + text[fix.span.end :]
    return text


def _apart(fixes: Iterable[Fix]) -> list[Fix]:
    """Those fixes that do not overlap with one before them; the others come in the next round."""
    found: list[Fix] = []
    for fix in dict.fromkeys(fixes):
        if all(fix.span.end <= one.span.start or one.span.end <= fix.span.start for one in found):
            found.append(fix)
    return found


def _findings(loaded: Loaded, loader: Loader) -> tuple[Diagnostic, ...]:
    """What is to be said of the file itself."""
    from scoring.compiler.compile import check
    from scoring.engine.suite.compile import check_suite

    try:
        found = check_suite(loaded) if isinstance(loaded.spec, SuiteSpec) else check(loaded, loader)
    except SpecError as error:
        found = error.diagnostics
    name = str(loaded.path)
    return tuple(one for one in found if one.severity == "error" or (one.span and one.span.source.name == name))


def _mean_the_same(old: Loaded, new: Loaded, loader: Loader) -> bool:
    return _meaning(old, loader) == _meaning(new, loader)


def _meaning(loaded: Loaded, loader: Loader) -> str:
    from scoring.compiler.compile import recipe_of
    from scoring.engine.suite.compile import compile_suite

    if isinstance(loaded.spec, SuiteSpec):
        return compile_suite(loaded).recipe.digest
    return recipe_of(loaded, loader).digest
