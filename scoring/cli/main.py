"""The command `scoring`: import the module of the command, run it, and turn its result or exception into an exit code.

Exit codes: 0 success, 1 findings, 2 the command could not be executed, 3 a smaller share of the records than
`--min-coverage` has a score, 4 a figure is beyond its `--min` or `--max`, 130 interrupted (Ctrl-C), 143 ended by
SIGTERM.
"""

from __future__ import annotations

import argparse
import atexit
import errno
import gc
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

from scoring.api.commands import import_command, other_commands, own_commands
from scoring.cli.console import CLEAN, FAILED, INTERRUPTED, TERMINATED, Console, UsageError, fitted
from scoring.lazy_pattern import lazy_pattern

_NO_VALUE = lazy_pattern(r"--?[A-Za-z-]+=--")
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EIO)


class Terminated(KeyboardInterrupt):
    """The exception raised when another program ends the process by SIGTERM: a scheduler, `timeout`, a shutdown."""


class CommandParser(argparse.ArgumentParser):
    """An argument parser whose error messages are one line."""

    def error(self, message: str) -> NoReturn:
        """Raise `UsageError` with the mistake, and the correct form if arguments are missing or unknown."""
        message = _advice("unknown_choice", message) or message
        if message.startswith(("the following arguments are required", "unrecognized arguments")):
            form = self._get_formatter()
            placed = [form._format_args(one, one.dest) for one in self._actions if not one.option_strings]
            options = [
                f"{one.option_strings[-1]} {one.metavar}"
                for one in self._actions
                if one.option_strings and one.required
            ]
            wanted = " ".join([self.prog, *placed, *options])
            raise UsageError(f"{message}; write `{wanted}` (see `{self.prog} --help`)")
        raise UsageError(f"{message} (see `{self.prog} --help`)")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command, by default with the arguments of the process, and return its exit code."""
    _spare()
    console = Console.standard()
    try:
        with _ended_by_signal():
            return _run(list(sys.argv[1:] if arguments is None else arguments), console)
    except UsageError as error:
        console.note(f"scoring: {error}")
        return FAILED
    except Terminated:
        console.note("scoring: terminated")
        return TERMINATED
    except KeyboardInterrupt:
        console.note("scoring: interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of our output went away (`| head`); the rest has nowhere to go.
        _leave_stdout()
        return CLEAN
    except Exception as error:
        if not isinstance(error, OSError) or error.errno not in _FULL or error.filename is not None:
            return _failed(error, console)
        _leave_stdout()
        console.note(f"scoring: can't write the result: {error.strerror}; free some space, or write it elsewhere")
        return FAILED


@contextmanager
def _ended_by_signal() -> Iterator[None]:
    """Return a context in which SIGTERM raises `Terminated`, as Ctrl-C would, so that work is saved or removed."""
    owner = os.getpid()

    def end(*_: object) -> None:
        if os.getpid() != owner:  # a worker that was forked, and has no signals of its own yet
            os._exit(TERMINATED)
        raise Terminated

    try:
        before = signal.getsignal(signal.SIGTERM)
        if before is not signal.SIG_IGN:
            signal.signal(signal.SIGTERM, end)
    except ValueError:  # a thread of another program calls `main`; signals are that program's
        yield
        return
    try:
        yield
    except RuntimeError as error:
        if isinstance(error.__cause__, KeyboardInterrupt):  # Python 3.11 wraps what comes while it makes a class
            raise error.__cause__ from None
        raise
    finally:
        signal.signal(signal.SIGTERM, before)


def _leave_stdout() -> None:
    """Redirect standard output to the null device, since nothing can be written to it any more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _spare() -> None:
    """Save start-up and exit time by settings that suit a short process: fewer threads, less garbage collection."""
    # NumPy's library of linear algebra starts a thread for each core when it is loaded, which costs as much as all
    # else of a small run; our arrays are sorted, counted and summed, hardly ever multiplied.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Results live to the end of a run: to look for garbage among them again and again costs a fifth of a large one, and
    # to do so once more when the process ends, a seventh of a small one.
    gc.set_threshold(200_000, 50, 100)
    atexit.unregister(gc.freeze)
    atexit.register(gc.freeze)


def _run(arguments: list[str], console: Console) -> int:
    name = arguments[0] if arguments else "--help"
    if name in ("-h", "--help"):
        console.out.write(fitted(console.out, _top_parser().format_help()))
        return CLEAN
    if name in ("-V", "--version"):
        from scoring.api import VERSION

        console.print(f"scoring {VERSION}")
        return CLEAN
    known = own_commands()
    if name not in known:
        known = {**known, **other_commands()}
    if name not in known:
        told = _advice("unknown_command", name, arguments[1:], known)
        raise UsageError(told or f"there is no command `{name}`; `scoring --help` lists them")
    odd = next((one.partition("=")[0] for one in arguments if _NO_VALUE.fullmatch(one)), None)
    if odd is not None:  # which would be read as a list of nothing
        raise UsageError(f"argument {odd}: `--` is no value (see `scoring {name} --help`)")
    place, about = known[name]
    command = _command(name, place)
    parser = CommandParser(prog=f"scoring {name}", description=f"{about[:1].upper()}{about[1:]}.", allow_abbrev=False)
    command.configure(parser)
    if unknown := _unknown_option(parser, arguments[1:]):
        raise UsageError(unknown)
    try:
        options = parser.parse_args(arguments[1:])
    except SystemExit as stop:  # --help has printed
        return int(stop.code or 0)
    is_spec = str(getattr(options, "data", "")).endswith((".yaml", ".yml"))
    if is_spec and (advice := _advice("swapped", parser, options, arguments[1:])):
        raise UsageError(advice)
    if getattr(options, "watch", False):
        from scoring.api import service

        words = [one for one in arguments if one != "--watch"]
        return int(service("command-again", "--watch")(words, options, console))
    from scoring.diagnostics.diagnostic import SpecError

    try:
        code = command.run(options, console) or CLEAN
    except SpecError as error:  # findings are shown in the layout that was asked for
        code = console.findings(error.diagnostics, getattr(options, "format", "text"))
    console.out.flush()
    return code


def _unknown_option(parser: CommandParser, arguments: Sequence[str]) -> str | None:
    """Return advice on an unknown option among the arguments, None if all are known or no extension has advice."""
    of_kinds = (one.choices for one in parser._actions if isinstance(one, argparse._SubParsersAction))
    if kinds := next(of_kinds, None):  # `judge agreement`: the options stand behind the second word
        place = next((at for at, argument in enumerate(arguments) if argument in kinds), len(arguments))
        parser, arguments = kinds.get("".join(arguments[place : place + 1]), parser), arguments[place + 1 :]
    if all(one.partition("=")[0] in parser._option_string_actions or not one.startswith("-") for one in arguments):
        return None
    return _advice("unknown_option", parser, arguments)


def _advice(mistake: str, *given: Any) -> str | None:
    """Return the advice of an extension's function `mistake`, such as `unknown_option`, called with `given`, if any."""
    from scoring.api import find_service

    told = getattr(find_service("command-line-advice"), mistake, lambda *_: None)(*given)
    return None if told is None else str(told)


def _command(name: str, place: str) -> Any:
    """Import the module `place`, and return the command `name` that it declares."""
    from scoring.cli.arguments import DECLARED

    import_command(place)
    return DECLARED[name]


def _top_parser() -> CommandParser:
    known = {**own_commands(), **other_commands()}
    width = max(map(len, known))
    commands = "\n".join(f"  {name:<{width}}  {summary}" for name, (_, summary) in known.items())
    return CommandParser(
        prog="scoring",
        usage="scoring COMMAND …",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description=f"A scoring language for AI benchmarks.\n\ncommands:\n{commands}\n\n"
        "`scoring COMMAND --help` shows what a command takes.",
    )


def _failed(error: Exception, console: Console) -> int:
    """Print an exception in one line, as a bug of this package unless the input is at fault; return the exit code."""
    from scoring.api import InputError

    if isinstance(error, InputError):
        console.note(f"scoring: {error}")
        return FAILED
    if os.environ.get("SCORING_TRACEBACK"):
        raise error
    from scoring.api import VERSION
    from scoring.api.arguments import file_error

    if isinstance(error, OSError) and error.filename is not None:
        console.note(f"scoring: {file_error(error)}")
        return FAILED
    if isinstance(error, MemoryError):
        console.note("scoring: there is not enough memory; score a part of the records, or with fewer processes")
        return FAILED
    message = " ".join(str(error).split())[:300]
    console.note(f"scoring: {type(error).__name__}: {message}")
    console.note(f"this is a bug in scoring {VERSION} (Python {sys.version.split()[0]}); please report it")
    console.note("SCORING_TRACEBACK=1 shows where it happened")
    return FAILED
