"""Files for the continuous integration of forges, which check and test specs, and hold figures to a limit."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from importlib.resources import files as resources
from pathlib import Path
from string import Template
from typing import Literal

from scoring.api.arguments import check_free, in_words, verb
from scoring.api.gates import Gate, check_gates, gates_of
from scoring.api.opening import open_spec
from scoring.data.os_errors import telling
from scoring.data.output import FOLDER_MODE, write_file
from scoring.errors import InputError
from scoring.version import VERSION

# Of each forge: its template, the file that it reads, and how a further step begins and is indented.
_FORGES = {
    "github": ("github.yml", ".github/workflows/scoring.yml", "      - name: gate\n        run: |\n          "),
    "forgejo": ("forgejo.yml", ".forgejo/workflows/scoring.yml", "      - name: gate\n        run: |\n          "),
    "gitlab": ("gitlab.yml", ".gitlab-ci.yml", "    - |\n      "),
    "woodpecker": ("woodpecker.yaml", ".woodpecker/scoring.yaml", "      - |\n        "),
}


@verb
def init_ci(
    spec: str | Path | None = None,
    data: str | Path | None = None,
    *,
    forge: Literal["github", "forgejo", "gitlab", "woodpecker"] = "github",
    least: tuple[tuple[str, float], ...] = (),
    most: tuple[tuple[str, float], ...] = (),
    output: str | Path | None = None,
    requirement: str | None = None,
    force: bool = False,
) -> Path:
    """Write the file by which a forge checks and tests all specs of the repository and, with a spec and data, holds the
    figures of a run to limits; return its path. The current folder is the root of the repository.

    Args:
        spec: The spec that scores the data.
        data: The records to score, a file of the repository.
        forge: The forge: ``github``, ``gitlab``, ``woodpecker``, or ``forgejo``, whose form Gitea reads, too.
        least: The least values of figures, by their names.
        most: The greatest ones, as of errors.
        output: The file to write; by default the one that the forge reads.
        requirement: What pip installs, such as ``scoring-dsl[parquet]==0.1.0``; by default this version.
        force: Whether to replace an existing file.

    Raises:
        InputError: when the file exists already, or no forge would look for it here, a limit is missing or of no figure
            of the spec, the data are not in the repository, or a name has characters that no shell or forge would leave
            alone.
        SpecError: when the spec is invalid.
    """
    template, usual, step = _FORGES[forge]
    target = Path(usual if output is None else output)
    if output is None and (root := _root_above()) is not None:
        raise InputError(
            f"no forge looks for {usual} in {Path.cwd().name}: the root of the repository is {root}; run this there, "
            "with paths from there"
        )
    frozen = " --frozen" if Path("scoring.lock").is_file() else ""
    command = _gate(spec, data, gates_of(least, most), frozen)
    text = Template(resources("scoring.extensions.authoring").joinpath("templates/ci", template).read_text("utf-8"))
    written = text.substitute(
        install=f"python -P -m pip install --quiet -- {_quoted(requirement or f'scoring-dsl=={VERSION}')}",
        check=f"scoring check --only-specs{frozen}",
        test=f"scoring test --only-specs{frozen}",
        gate=f"{step}{command}\n" if command else "",
    )
    check_free(target, force, there="exists; say --output FILE and include that, or --force to replace it")
    with telling(f"can't make the folder {target.parent}"):
        target.parent.mkdir(FOLDER_MODE, parents=True, exist_ok=True)
    write_file(target, written.encode())
    return target


def _gate(spec: str | Path | None, data: str | Path | None, gates: Sequence[Gate], frozen: str) -> str:
    """Return the command that holds the figures of a run to limits; empty if there is no spec."""
    if (spec is None) is not (data is None):
        raise InputError("a gate scores data by a spec; name both, or neither")
    if (spec is None) is not (not gates):
        passing = "say what passes, as in --min mean=0.8 or --max wer=0.1"
        what = passing if spec is not None else "name the spec and the data of the gate"
        raise InputError(f"a gate holds figures of a run to limits; {what}")
    if spec is None or data is None:
        return ""
    check_gates(gates, open_spec(spec).target)
    limits = " ".join(f"--{one.side} {_quoted(f'{one.metric}={one.limit!r}')}" for one in gates)
    paths = f"{_quoted(_in_repository(spec))} {_quoted(_in_repository(_there(data)))}"
    return f"scoring score{frozen} {limits} -- {paths}"


def _root_above() -> Path | None:
    """Return the root of the repository if the current folder is one below it; None if it is the root, or of none."""
    here = Path.cwd()
    if (here / ".git").exists():
        return None
    return next((Path(*[".."] * up) for up, one in enumerate(here.parents, 1) if (one / ".git").exists()), None)


def _there(data: str | Path) -> str | Path:
    if "://" not in str(data) and not Path(data).exists():
        raise InputError(
            f"{data} is not here, and a forge would not find it either; name the records, as a file of the repository"
        )
    return data


def _in_repository(name: str | Path) -> str:
    """Return the path of a file from the current folder; what names no file, such as a task, as it is.

    Raises:
        InputError: when it is outside of the folder.
    """
    path = Path(name)
    if not path.exists():
        return str(name)
    inside = path.absolute()
    if not inside.resolve().is_relative_to(Path.cwd().resolve()):
        raise InputError(f"{name} is outside of the repository, where no forge has it; copy it into this folder")
    return inside.relative_to(Path.cwd()).as_posix() if inside.is_relative_to(Path.cwd()) else str(name)


def _quoted(text: str) -> str:
    """Return a text as one word of a shell, in a file that a forge reads.

    Raises:
        InputError: when it has line ends or other control characters, or what forges replace before a shell sees it.
    """
    if not text.isprintable() or "${" in text or "{{" in text or text != text.strip():
        raise InputError(f"{in_words(text)} can't stand in a file of a forge; choose another name")
    return shlex.quote(text)
