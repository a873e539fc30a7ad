"""Load spec files and what they import; every file is read once."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import field
from functools import partial
from pathlib import Path
from typing import Any

from scoring.data.plain_files import real_path
from scoring.data.refused import refused
from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.source import Span
from scoring.diagnostics.suggest import did_you_mean
from scoring.diagnostics.words import shown
from scoring.format import locate
from scoring.format.build import build
from scoring.format.front_ends import front_end_of
from scoring.format.model import Pack, Spec, SuiteSpec
from scoring.format.nodes import SpecNode
from scoring.format.read import read_file
from scoring.format.sections import Import
from scoring.late import dataclass
from scoring.project.versions import is_range, parse_version, satisfies


@dataclass(frozen=True, slots=True)
class Loaded:
    """A spec, its folder (None for one that was given as data), and the digest of its content.

    ``attributes`` is what a file of a foreign form says about its task beside how it is scored.
    """

    spec: Spec
    folder: Path | None
    digest: str
    path: Path | None = None
    attributes: Mapping[str, Any] = field(default_factory=dict)


_BUNDLED: dict[Path, Loaded] = {}


def digest_of(data: Any) -> str:
    """The SHA-256 of plain data in canonical JSON (sorted keys, no spaces, UTF-8).

    Examples:
        >>> digest_of({"b": 1, "a": 2}) == digest_of({"a": 2, "b": 1})
        True
    """
    text = json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class Loader:
    """Loads files; remembers packs, so that two imports of one file are one pack.

    Args:
        validate: Whether files are held against their schema.
        dialect: What the names in files of a foreign form mean; by default what their front end takes them for.
    """

    def __init__(self, *, validate: bool = True, dialect: str | None = None) -> None:
        self._validate = validate
        self.dialect = dialect
        self.meets_dialect = False  # whether a file was read for which a dialect says anything
        self._packs: dict[Path, Loaded] = {}
        self._opened: dict[tuple[Path | None, str], Loaded] = {}
        self._bundled = real_path(locate.data_folder("specs"))

    def file(self, path: Path, name: str | None = None) -> Loaded:
        """The spec in a file."""
        return self.load(read_file(path, name), name=str(name or path), folder=path.parent, path=path)

    def data(self, data: Mapping[str, Any], name: str = "<spec>", folder: Path | None = None) -> Loaded:
        """A spec given as plain data."""
        from scoring.format.read_json import read_data

        return self.load(read_data(dict(data), name), name=name, folder=folder)

    def load(self, node: SpecNode, *, name: str, folder: Path | None = None, path: Path | None = None) -> Loaded:
        """The spec in a file that was read already."""
        form, attributes = front_end_of(node), {}
        if form is not None:
            attributes = dict(form.attributes(node.plain()))
            own = form.task_name(path) if path is not None else name.strip("<>") or "task"
            node = form.convert(node, own, form.dialect_of(self.dialect))
        if self._validate and not self._is_bundled(path):
            from scoring.format.schema import UnknownKeys, check_structure

            try:
                check_structure(node)
            except UnknownKeys as error:
                error.again = partial(self.load, error.rest, name=name, folder=folder, path=path)
                raise
        spec = build(node)
        self.meets_dialect |= form is not None or isinstance(spec, SuiteSpec)
        return Loaded(spec, folder, digest_of(spec.data), path, attributes)

    def _is_bundled(self, path: Path | None) -> bool:
        # Shipped files are validated by the test suite, not again at every use.
        return path is not None and real_path(path).is_relative_to(self._bundled)

    def imported(self, entry: Import, folder: Path | None) -> Loaded:
        """The pack that an import names; asked again, what it opened the first time.

        Raises:
            SpecError: where it is missing, is no pack, or has no fitting version.
        """
        known = self._opened.get((folder, entry.target))
        if known is None:
            known = self._opened[folder, entry.target] = self._found(entry, folder)
        return known

    def _found(self, entry: Import, folder: Path | None) -> Loaded:
        if _is_path(entry.target):
            return self._pack(self._path(entry, folder), entry)
        name, _, wanted = entry.target.partition("@")
        if wanted and not is_range(wanted):
            raise SpecError.of(
                "import-version",
                f"{shown(wanted)} is no version and no range of versions",
                entry.span,
                help=f"write `{name}@1`, `{name}@1.2` or `{name}@>=1.2,<2`",
            )
        return self.named(name, wanted, entry.span)

    def named(self, name: str, wanted: str = "", span: Span | None = None) -> Loaded:
        """The newest shipped or installed pack of that name whose version fits."""
        shipped = locate.bundled_packs()
        paths = shipped.get(name) or [path for _, path in locate.installed_packs(name)]
        if not paths:
            known = sorted({*shipped, *(other for other, _ in locate.installed_packs())})
            meant, path = did_you_mean(name, known), shown(f"./{name}.yaml")
            raise SpecError.of(
                "import-not-found",
                f"no pack is called {shown(name)}",
                span,
                f"did you mean `{meant}`?" if meant else "",
                help=f"packs here: {', '.join(known)}; a file of yours is imported by its path, {path}",
            )
        packs = [self._pack(path, Import("", name, span)) for path in paths]
        fitting = [pack for pack in packs if not wanted or satisfies(pack.spec.version, wanted)]
        if not fitting:
            versions = ", ".join(pack.spec.version for pack in packs)
            raise SpecError.of(
                "import-version",
                f"`{name}` has no version that fits `{wanted}`",
                span,
                help=f"versions here: {versions}",
            )
        return max(fitting, key=lambda pack: parse_version(pack.spec.version))

    def _path(self, entry: Import, folder: Path | None) -> Path:
        if folder is None:
            raise SpecError.of(
                "import-not-found",
                f"`{entry.target}` is a path, but this spec is no file",
                entry.span,
                help="give `scoring.load` the path of the file, or import a pack by its name",
            )
        try:
            path = self._below(folder, entry)
            if path.is_file():
                return path
            here = sorted(found.name for found in path.parent.glob("*.yaml")) if path.parent.is_dir() else []
        except (OSError, ValueError, RuntimeError) as error:  # too long, a zero byte, links that lead to one another
            raise SpecError.of(
                "import-not-found",
                f"`{entry.target:.200}` is the path of no file: {refused(error)}",
                entry.span,
                help="name a file beside this spec, such as `./pack.yaml`",
            ) from None
        meant = did_you_mean(path.name, here)
        raise SpecError.of(
            "import-not-found",
            f"there is no file `{entry.target}`",
            entry.span,
            f"did you mean `{meant}`?" if meant else "",
        )

    def _below(self, folder: Path, entry: Import) -> Path:
        """The path of an import, which lies below the folder of its spec or beside it."""
        root = real_path(folder)
        path = root if Path(entry.target).is_absolute() else real_path(folder / entry.target)
        if Path(entry.target).is_absolute() or not (path.is_relative_to(root) or path.is_relative_to(root.parent)):
            raise SpecError.of(
                "import-outside",
                f"`{entry.target:.200}` lies outside the folder of this spec",
                entry.span,
                help="keep imported files below the spec's folder or beside it",
            )
        return path

    def _pack(self, path: Path, entry: Import) -> Loaded:
        path = real_path(path)
        # Shipped packs do not change while a process runs; files of the author may.
        known = _BUNDLED if self._is_bundled(path) else self._packs
        if path not in known:
            known[path] = self.file(path, _shown(path, entry))
        loaded = known[path]
        if not isinstance(loaded.spec, Pack):
            message = f"`{entry.target}` is no pack"
            raise SpecError.of("import-not-found", message, entry.span, help="`kind: pack` is wanted")
        return loaded


def _is_path(target: str) -> bool:
    return target.startswith((".", "/")) or target.endswith((".yaml", ".yml", ".json"))


def _shown(path: Path, entry: Import) -> str:
    """How messages call an imported file: as the author named it, or as name and file inside the shipped folder."""
    if _is_path(entry.target):
        return entry.target
    folder = real_path(locate.data_folder("specs"))
    return str(path.relative_to(folder.parent)) if path.is_relative_to(folder) else path.name
