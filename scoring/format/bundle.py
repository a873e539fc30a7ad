"""Bundles: a spec and everything that it imports as one text, for use where its files are missing.

A bundle is plain JSON: texts of specs, the file that each import opens, and the options with which the spec was loaded.
It contains no paths and none is opened, so an untrusted bundle can do no more than an untrusted spec. Its size is
checked before it is read, and each text in it has the limits of spec files.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, MutableMapping
from pathlib import Path
from typing import Any, Literal, NoReturn, TypeAlias

from msgspec import Struct, field
from msgspec.structs import asdict, replace

from scoring.data.json_read import NotJson, parse
from scoring.data.json_write import canonical, digest
from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.source import Source
from scoring.errors import InputError
from scoring.format.labels import listed_labels
from scoring.format.limits import LIMITS
from scoring.format.load import Loaded, Loader
from scoring.format.measures import metric_of_text, metric_text
from scoring.format.model import Pack, TaskSpec
from scoring.format.packs import Packs, as_pack, packs_of
from scoring.format.read_json import read_json
from scoring.format.read_yaml import read_yaml
from scoring.format.sections import Import

FORMAT = 1
MAX_BYTES = 64_000_000
MAX_FILES = 10_000
# No file is ever opened there: it only gives each text of a bundle a folder that identifies it for the loader.
_NOWHERE = Path("/scoring-bundle")
# The entry of a task that a file extends among the files that it opens: no import has a blank in its alias, and a pack
# may have the name of a task.
_EXTENDED = "extends {}"

LoadedPacks: TypeAlias = dict[tuple[str | None, ...], Loaded]
"""Loaded packs by all inputs of loading them."""


class BundledFile(Struct, frozen=True):
    """One spec of a bundle.

    Args:
        shown: The name of the file in messages.
        name: The spec's own name, which a file of another tool may get from its path.
        form: The format of the text.
        text: The whole text.
        imports: For each of its imports, as written in the spec, the index of the file that it opens.
    """

    shown: str
    name: str
    form: Literal["json", "yaml"]
    text: str
    imports: Mapping[str, int] = field(default_factory=dict)


class Bundle(Struct, frozen=True):
    """A spec with the packs that it imports, all as texts, and the options with which it was loaded.

    Args:
        files: The spec, followed by the packs that it imports directly or indirectly.
        dialect: The dialect for names in files of other tools, None for the default of their front end.
        seed: The seed of random numbers.
        by: The breakdowns, including those requested in addition to the spec's.
        metrics: The requested metrics; a suite may put further ones before the spec's own.
        labels: The labels of a data set, including those that the task reads from a file; None without any.
        meaning: The digest of the spec's meaning when it was bundled, which must be the same here.
    """

    files: tuple[BundledFile, ...]
    dialect: str | None = None
    seed: int = 0
    by: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    labels: tuple[str, ...] | None = None
    meaning: str = ""

    def to_bytes(self) -> bytes:
        """Return the bundle as canonical JSON, so that equal bundles are equal bytes.

        Raises:
            InputError: when it is larger than a bundle may be.
        """
        plain = {**self._plain(), "scoring_bundle": FORMAT}
        data, count = canonical({**plain, "sha256": digest(plain)}).encode(), len(self.files)
        if len(data) > MAX_BYTES or count > MAX_FILES:
            _refuse(f"it has {len(data):,} bytes and {count:,} files; the limits are {MAX_BYTES:,} and {MAX_FILES:,}")
        return data

    def apart(self, texts: MutableMapping[str, str]) -> dict[str, Any]:
        """Return the bundle as plain data with SHA-256s in place of texts, which are put into `texts` by SHA-256."""
        plain = self._plain()
        for one in plain["files"]:
            texts[name := text_digest(one["text"])] = one["text"]
            one["text"] = name
        return plain

    def _plain(self) -> dict[str, Any]:
        return {**asdict(self), "files": [asdict(file) for file in self.files]}

    @classmethod
    def joined(cls, plain: Mapping[str, Any], texts: Mapping[str, str]) -> Bundle:
        """Return the bundle that `apart` returned as the data `plain`, with its texts in `texts` by their SHA-256.

        Raises:
            KeyError, TypeError, ValueError: when the data is not a bundle, or refers to a missing text.
        """
        return _bundle({**plain, "files": [{**_is(one, dict), "text": texts[one["text"]]} for one in plain["files"]]})

    @classmethod
    def from_bytes(cls, data: bytes) -> Bundle:
        """Return the bundle that `to_bytes` wrote as bytes, which may be untrusted.

        Raises:
            InputError: for bytes that are not a bundle, were truncated or changed in transit, or are too many.
        """
        if not isinstance(data, bytes | bytearray):
            _refuse(f"it is a {type(data).__name__}, not bytes")
        if len(data) > MAX_BYTES:
            _refuse(f"{len(data):,} bytes are more than the {MAX_BYTES:,} that a bundle may have")
        try:
            plain = _is(parse(data), dict)
            if plain["scoring_bundle"] != FORMAT:
                _refuse(f"its format is {plain['scoring_bundle']!r:.20}; this version reads {FORMAT}")
            if plain.pop("sha256") != digest(plain):
                _refuse("its digest does not match its content; it was changed in transit")
            return _bundle(plain)
        except KeyError as error:
            _refuse(f"it has no `{error.args[0]}`"[:200])
        except (NotJson, TypeError, ValueError) as error:
            _refuse(str(error)[:200])


def _bundle(plain: Mapping[str, Any]) -> Bundle:
    files = tuple(_file(one) for one in _list(plain["files"], dict))
    if not 0 < len(files) <= MAX_FILES:
        raise ValueError(f"{len(files)} files")
    if any(not 0 <= number < len(files) for one in files for number in one.imports.values()):
        raise ValueError("an import opens a file that is not in it")
    labels, dialect = plain["labels"], plain["dialect"]
    return Bundle(
        files,
        None if dialect is None else _is(dialect, str),
        _is(plain["seed"], int),
        tuple(_list(plain["by"], str)),
        tuple(_list(plain["metrics"], str)),
        None if labels is None else tuple(_list(labels, str)),
        _is(plain["meaning"], str),
    )


def _file(entry: Mapping[str, Any]) -> BundledFile:
    imports = {_is(target, str): _is(number, int) for target, number in _is(entry["imports"], dict).items()}
    form: Literal["json", "yaml"] = "json" if _is(entry["form"], str) == "json" else "yaml"
    return BundledFile(_is(entry["shown"], str), _is(entry["name"], str), form, _is(entry["text"], str), imports)


def _is(value: Any, kind: type) -> Any:
    if type(value) is not kind:
        raise TypeError(f"{type(value).__name__} in place of {kind.__name__}")
    return value


def _list(values: Any, kind: type) -> list[Any]:
    return [_is(value, kind) for value in _is(values, list)]


def text_digest(text: str) -> str:
    """Return the SHA-256 digest of a text in UTF-8."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _refuse(why: str) -> NoReturn:
    raise InputError(f"this is not a bundle of a task: {why}; `Task.to_bytes()` makes one")


def bundle_of(loaded: Loaded, loader: Loader, *, seed: int = 0, meaning: str = "") -> Bundle:
    """Return the bundle of a spec and its imports, which `loader` opens, with their texts as they were read.

    `seed` is the seed of random numbers, and `meaning` the digest of the spec's meaning, both for the bundle.
    """
    files = tuple(
        _bundled(one, {entry.target: number for entry, number in opened})
        for one, opened in with_imports(loaded, loader)
    )
    spec = loaded.spec
    found = Bundle(files, loader.dialect, seed, meaning=meaning)
    if not isinstance(spec, TaskSpec):
        return found
    metrics = tuple(map(metric_text, spec.metrics))
    return replace(found, by=tuple(spec.by), metrics=metrics, labels=_labels(spec, loaded.folder))


def _labels(spec: TaskSpec, folder: Path | None) -> tuple[str, ...] | None:
    """Return the labels of a task, read from a file in `folder` if the task names one; None if it declares none."""
    if not isinstance(spec.labels, str):
        return None if spec.labels is None else tuple(spec.labels)
    return tuple(listed_labels(folder or Path(), spec.labels))


def _bundled(one: Loaded, imports: Mapping[str, int]) -> BundledFile:
    span = one.spec.span
    assert span is not None, "every spec that is loaded has its place"
    form: Literal["json", "yaml"] = "json" if one.path is None or one.path.suffix.lower() == ".json" else "yaml"
    shown = span.source.name
    return BundledFile(
        shown.replace("\\", "/").rpartition("/")[2] or shown, one.spec.name, form, span.source.text, imports
    )


class BundleLoader(Loader):
    """A loader of the specs of a bundle, whose imports open only the files that were bundled for them.

    Args:
        bundle: The bundle.
        packs: A cache of files without imports, shared between loaders: tasks of a suite have such files in common.
    """

    def __init__(self, bundle: Bundle, packs: LoadedPacks | None = None) -> None:
        super().__init__(dialect=bundle.dialect)
        self.bundle = bundle
        self._shared: LoadedPacks = {} if packs is None else packs
        self._known: dict[int, Loaded] = {}
        self.packs = _BundledPacks(self)

    def spec(self) -> Loaded:
        """Return the bundled spec: a task with the breakdowns, metrics and labels of the bundle, or a suite as written.

        Raises:
            SpecError: when the spec has errors.
            InputError: when it is a pack.
        """
        loaded, bundle = self._at(0), self.bundle
        spec = loaded.spec
        if isinstance(spec, Pack):
            _refuse(f"`{spec.name}` is a pack")
        if isinstance(spec, TaskSpec):
            spec = replace(spec, by=bundle.by, labels=bundle.labels)
            if tuple(map(metric_text, spec.metrics)) != bundle.metrics:
                spec = replace(spec, metrics=tuple(map(metric_of_text, bundle.metrics)))
        return replace(loaded, spec=spec)

    def is_shipped(self, path: Path | None) -> bool:
        """Return False: the name in a bundle may be any path, so it does not prove that the spec is a shipped one."""
        return False

    def base(self, entry: Import, folder: Path | None) -> Loaded:
        """Return the task that was extended when the bundle was made; raise SpecError if it holds none."""
        return self.opened(replace(entry, target=_EXTENDED.format(entry.target)), folder)

    def opened(self, entry: Import, folder: Path | None) -> Loaded:
        """Return the file that was opened for an entry when the bundle was made; raise SpecError if none was."""
        number = (self.bundle.files[int(folder.name)].imports if folder is not None else {}).get(entry.target)
        if number is None:
            raise SpecError.of("import-not-found", f"the bundle does not hold `{entry.target}`", entry.span)
        return self._at(number)

    def _at(self, number: int) -> Loaded:
        if number not in self._known:
            file = self.bundle.files[number]
            # A file without imports does not depend on its bundle, so it gets no folder in one.
            is_shared = number > 0 and not file.imports
            known: LoadedPacks = self._shared if is_shared else {}
            key = (self.dialect, file.shown, file.name, file.form, file.text)
            if key not in known:
                known[key] = self._read(file, None if is_shared else _NOWHERE / str(number))
            self._known[number] = known[key]
        return self._known[number]

    def _read(self, file: BundledFile, folder: Path | None) -> Loaded:
        source = Source(file.shown, file.text)
        node = (read_json if file.form == "json" else read_yaml)(source, LIMITS)
        # A front end derives the task's name from the path of its file.
        path = (folder or _NOWHERE) / file.name / f"{file.name}.{file.form}"
        return self.load(node, name=file.shown, folder=folder, path=path)


class _BundledPacks(Packs):
    """The packs that were bundled for the specs of a bundle."""

    loader: BundleLoader

    def imported(self, entry: Import, folder: Path | None) -> Loaded:
        """Return the pack that an import opened when the bundle was made; raise SpecError if it opened none."""
        return as_pack(self.loader.opened(entry, folder), entry)


def with_imports(loaded: Loaded, loader: Loader) -> list[tuple[Loaded, list[tuple[Import, int]]]]:
    """Return a spec and all packs that it needs, each with its imports and the index in this list that each opens.

    Raises:
        SpecError: when an import can't be opened.
    """
    files, found, packs = [loaded], [], packs_of(loader)
    for one in files:  # grows as imports are found
        opened = [(entry, packs.imported(entry, one.folder)) for entry in one.spec.imports]
        if isinstance(one.spec, TaskSpec) and one.spec.extends:
            base, place = Import("", one.spec.extends, one.spec.span), _EXTENDED.format(one.spec.extends)
            opened.append((Import(place, place, base.span), loader.base(base, one.folder)))
        for _, pack in opened:
            if not any(known is pack for known in files):
                files.append(pack)
        places = {id(known): place for place, known in enumerate(files)}
        found.append((one, [(entry, places[id(pack)]) for entry, pack in opened]))
    return found
