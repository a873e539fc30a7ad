"""The verb that cites a run, a spec or a pack: a sentence for a methods section, and BibTeX of every rule used."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from scoring.api.arguments import verb
from scoring.api.opening import Opened, open_spec
from scoring.api.result import Result
from scoring.diagnostics.words import counted
from scoring.engine.runs.folder import MANIFEST
from scoring.errors import InputError
from scoring.extensions.sharing.citing.used import (
    UsedRule,
    rules_of_primitives,
    rules_of_spec,
    rules_of_suite,
    rules_of_task,
)
from scoring.extensions.sharing.citing.works import bibtex, reference, works_of
from scoring.extensions.sharing.documents.travelling import citation_document
from scoring.extensions.sharing.signing.subjects import release_digest
from scoring.extensions.suites.model import Suite
from scoring.extensions.verification.read import StoredRun, read_run
from scoring.extensions.verification.repeating import is_bundle, spec_of_run, unpack_temporarily
from scoring.format.load import Loaded, Loader
from scoring.format.locate import bundled_packs
from scoring.format.model import Pack
from scoring.format.packs import packs_of
from scoring.project.find import SPEC_FILES
from scoring.registry import registry
from scoring.version import VERSION


class Citation(Result):
    """The sentences of a methods section about how something was scored, and the works that its rules come from."""

    @property
    def sentences(self) -> list[str]:
        """A sentence for each target (run, spec or pack), in the order of the targets."""
        return list(self.data["sentences"])

    @property
    def bibtex(self) -> str:
        """The works that the rules come from, as BibTeX entries."""
        return str(self.data["bibtex"])


@verb
def cite(*targets: str | Path) -> Citation:
    """Return sentences for a methods section, and BibTeX of every rule used; equal targets give equal results.

    The rules are those that the program uses: the definitions of packs that its expressions use, with their
    ``source:``, and its primitives, with the ``Source:`` of their docstrings.

    Args:
        targets: Run folders, bundles, spec files (tasks, suites, packs), names of packs such as ``house@1``.

    Raises:
        InputError: when a target does not exist, or none is given.
        SpecError: when a spec has errors.

    Examples:
        >>> found = cite("specs/quickstart/invoices.yaml")
        >>> print(found.sentences[0])
        Responses are scored with the task `quickstart/invoices` 1.0.0 (meaning d8865bbab7f50d50) in scoring 0.1.0.
        >>> [work["key"] for work in found.data["works"]][1:2]
        ['levenshtein1966']
    """
    if not targets:
        raise InputError("name what to cite: a run folder, a bundle, a spec, or a pack")
    cited = [_cited(target) for target in targets]
    rules = sorted(
        {rule for _, used in cited for rule in used}, key=lambda rule: (rule.name, rule.version, rule.source)
    )
    sources = [rule.source for rule in rules if rule.source]
    found = works_of(sources)
    keys = {text: [work.key for work in works_of([text])] for text in dict.fromkeys(sources)}
    data = {
        "sentences": list(dict.fromkeys(sentence for sentence, _ in cited)),
        "rules": [
            {
                "name": rule.name,
                **({"version": rule.version} if rule.version else {}),
                "source": rule.source,
                "works": keys.get(rule.source, []),
            }
            for rule in rules
        ],
        "works": [{"key": work.key, "type": work.type, **work.fields, "reference": reference(work)} for work in found],
        "bibtex": bibtex(found),
    }
    return Citation(data, counted(len(found), "work"), citation_document, "works")


def _cited(target: str | Path) -> tuple[str, list[UsedRule]]:
    """Return the sentence that cites one target (a run, a spec or a pack), and the rules that it uses."""
    path = Path(target)
    stored = None
    if (path / MANIFEST).is_file():
        stored = read_run(str(target))
    elif path.suffix not in SPEC_FILES and is_bundle(target):
        with unpack_temporarily(target) as unpacked:
            stored = unpacked.stored
    if stored is not None:
        opened = spec_of_run(stored)
        return _of_run(stored), _rules(opened) if opened is not None else _of_manifest(stored)
    loader = Loader()
    loaded = _pack(str(target), path, loader)
    if loaded is not None:
        rules = rules_of_spec(loaded, loader)
        what = f"the definitions of the pack `{loaded.spec.name}` {loaded.spec.version or '0'}"
        digest = release_digest(loaded.path)
        content = f" (sha256 {digest[:16]})" if digest else ""
        return f"Responses are scored with {what}{content} in scoring {VERSION}.", rules
    opened = open_spec(target)
    recipe = opened.recipe
    packs = [f"{name.partition('@')[0]} {version}" for name, (version, _) in sorted(recipe.packs.items())]
    made = opened.target
    said = _sentence("are", opened.kind == "suite", made.name, made.version, recipe.digest, packs, VERSION)
    return said, _rules(opened)


def _pack(name: str, path: Path, loader: Loader) -> Loaded | None:
    """Return the pack with a file or a name, loaded; None if the target is something else.

    Args:
        name: The target as the user wrote it.
        path: The target as a path.
        loader: The loader of the pack.
    """
    if path.is_file():
        loaded = loader.file(path, name)
        return loaded if isinstance(loaded.spec, Pack) else None
    pack_name, _, wanted = name.partition("@")
    if pack_name in bundled_packs() or "@" in name:
        return packs_of(loader).by_name(pack_name, wanted)
    return None


def _rules(opened: Opened) -> list[UsedRule]:
    return rules_of_suite(opened.target) if isinstance(opened.target, Suite) else rules_of_task(opened.task)


def _of_manifest(stored: StoredRun) -> list[UsedRule]:
    """Return the primitives that a run used as rules, by the names in its manifest, because its spec is not
    available."""
    names = [str(one.get("name")) for one in (stored.manifest.get("spec") or {}).get("primitives") or ()]
    found = (registry.get(name) or registry.metric(name) for name in names)
    return rules_of_primitives(one for one in found if one is not None)


def _of_run(stored: StoredRun) -> str:
    manifest, is_suite = stored.manifest, "suite" in stored.manifest
    made = manifest.get("task") or manifest.get("suite") or {}
    parts = stored.signature.parts
    packs = [one for one in parts.get("packs", "").split(", ") if one]
    more = [f"seed {manifest['seed']}"]
    records = (stored.summary.get("counts") or {}).get("records")
    if isinstance(records, int):
        more.append(f"{records:,} records")
    said = _sentence(
        "were",
        is_suite,
        str(made.get("name")),
        str(made.get("version") or "0"),
        str(parts.get("meaning", "")),
        packs,
        str(manifest["versions"].get("scoring", "")),
        more,
    )
    judge = f" The judge was {parts['judge']}." if "judge" in parts else ""
    return f"{said}{judge}{_intervals(stored.summary)}"


def _sentence(
    verb_word: str,
    is_suite: bool,
    name: str,
    version: str,
    meaning: str,
    packs: Iterable[str],
    release: str,
    more: Iterable[str] = (),
) -> str:
    what = f"the {'suite' if is_suite else 'task'} `{name}` {version or '0'}"
    about = ", ".join([f"meaning {meaning[:16]}", *more])
    joined = _joined(list(packs))
    using = f", using the pack{'s' if ' and ' in joined else ''} {joined}" if joined else ""
    return f"Responses {verb_word} scored with {what} ({about}) in scoring {release}{using}."


def _intervals(summary: Mapping[str, Any]) -> str:
    """Return a sentence about the method and level of the confidence intervals in a run's summary; "" if it has
    none."""
    settings = summary.get("intervals")
    figures = [one for one in summary.get("metrics") or () if isinstance(one, Mapping) and one.get("interval")]
    if not isinstance(settings, Mapping) or not figures:
        return ""
    methods = _joined(sorted({str(one.get("method")) for one in figures}))
    level = f"{float(settings.get('confidence') or 0) * 100:g}%"
    cluster = f", with records grouped by {settings['cluster']}" if settings.get("cluster") else ""
    drawn = cluster + (f", drawn within each {settings['strata']}" if settings.get("strata") else "")
    return f" Intervals are {level} confidence intervals ({methods}; {settings.get('resamples')} resamples{drawn})."


def _joined(words: list[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)
