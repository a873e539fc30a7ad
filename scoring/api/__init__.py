"""Every verb of the language from Python, in the words of the command line; each is imported when it is first used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scoring.api.definitions import Parser, Scorer, parser, scorer
    from scoring.api.explaining import Explained
    from scoring.api.listing import Listing, listing
    from scoring.api.specs import Change, Checked, check, check_file, convert, fmt, lock, new, spec_files, test
    from scoring.api.tasks import Task, load
    from scoring.data.rows.row import InputError

HOMES = {
    "scoring.api.definitions": ("Parser", "Scorer", "parser", "scorer"),
    "scoring.api.explaining": ("Explained",),
    "scoring.api.listing": ("Listing", "listing"),
    "scoring.api.specs": (
        "Change",
        "Checked",
        "check",
        "check_file",
        "convert",
        "fmt",
        "lock",
        "new",
        "spec_files",
        "test",
    ),
    "scoring.api.tasks": ("Task", "load"),
    "scoring.data.rows.row": ("InputError",),
}
_HOME_OF = {name: home for home, names in HOMES.items() for name in names}

__all__ = [
    "Change",
    "Checked",
    "Explained",
    "InputError",
    "Listing",
    "Parser",
    "Scorer",
    "Task",
    "check",
    "check_file",
    "convert",
    "fmt",
    "listing",
    "load",
    "lock",
    "new",
    "parser",
    "scorer",
    "spec_files",
    "test",
]


def __getattr__(name: str) -> Any:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'scoring.api' has no attribute {name!r}")
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return sorted(__all__)
