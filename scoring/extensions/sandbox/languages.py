"""The languages that programs may be written in, with the interpreter or compiler of each, and whether it is here."""

from __future__ import annotations

import functools
import importlib
import shutil
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from scoring import children
from scoring.extensions.sandbox.protocol import SandboxUnavailable
from scoring.lazy_pattern import lazy_pattern

# The folders of the machine that a sandbox sees (bubblewrap.py); links are resolved outside of it.
_FOLDERS = "/usr/local/bin:/usr/bin:/bin"
_SEEN = ("/usr/", "/bin/")
_PATIENCE = 20.0
_NUMBER = lazy_pattern(r"\d+(\.\d+)+")


class Language(Struct, frozen=True):
    """A programming language, and how a program in it is run.

    Args:
        executable: The interpreter, or the compiler.
        file: The name of the program's file.
        commands: The commands, run in order; ``{}`` is the executable.
        version: The option with which the executable prints its version.
        reserve: Bytes of address space that the executable reserves beyond the memory that it uses.
    """

    executable: str
    file: str
    commands: tuple[tuple[str, ...], ...]
    version: str = "--version"
    reserve: int = 0

    def here(self) -> str:
        """Return the path of the language's executable, with links resolved.

        Raises:
            SandboxUnavailable: when it is not in a folder that a sandbox sees.
        """
        found = shutil.which(self.executable, path=_FOLDERS)
        place = "" if found is None else str(Path(found).resolve())
        if not place.startswith(_SEEN):
            raise SandboxUnavailable(
                f"`{self.executable}`, which runs such programs, is not installed below /usr, where a sandbox sees it"
            )
        return place

    def run_by(self) -> tuple[tuple[str, ...], ...]:
        """Return the commands that run a program, with the path of the language's executable filled in; raise as `here`
        does."""
        place = self.here()
        return tuple(tuple(place if word == "{}" else word for word in command) for command in self.commands)


def _interpreted(executable: str, file: str, *options: str, reserve: int = 0) -> Language:
    return Language(executable, file, (("{}", *options, file),), reserve=reserve)


def _compiled(executable: str, file: str, *options: str) -> Language:
    return Language(executable, file, (("{}", *options, "-o", "./program", file, "-lm"), ("./program",)))


LANGUAGES: Mapping[str, Language] = {
    "bash": _interpreted("bash", "program.sh"),
    "c": _compiled("gcc", "program.c", "-O2", "-std=gnu17"),
    "cpp": _compiled("g++", "program.cpp", "-O2", "-std=gnu++17"),
    "javascript": _interpreted("node", "program.js", reserve=2 << 30),
    "lua": _interpreted("lua", "program.lua"),
    "perl": _interpreted("perl", "program.pl"),
    "php": _interpreted("php", "program.php"),
    "ruby": _interpreted("ruby", "program.rb"),
}
"""The languages besides Python, by name."""


@functools.cache
def language_version(name: str) -> str:
    """Return the name of a language's executable and its version on this machine, "none" if it is not installed; an
    unknown language's name unchanged.

    Examples:
        >>> language_version("python")
        'python'
    """
    if name == "sqlite":
        return f"sqlite {importlib.import_module('sqlite3').sqlite_version}"
    if name not in LANGUAGES:
        return name
    language = LANGUAGES[name]
    try:
        command = [language.here(), language.version]
        with children.start(command, stdin=children.DEVNULL, stdout=children.PIPE, stderr=children.DEVNULL) as process:
            try:
                output = process.communicate(timeout=_PATIENCE)[0]
            finally:
                process.kill()
    except (SandboxUnavailable, OSError, children.TooLate):
        return f"{language.executable} none"
    number = _NUMBER.search(output.decode("utf-8", "replace"))
    return f"{language.executable} {number[0] if number else 'unknown'}"
