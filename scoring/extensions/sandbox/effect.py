"""The sandbox as an effect of a run: its name, and the languages of programs, are recorded in the environment."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from scoring.registry.effect import EffectProvider, EffectStep


def sandbox_part() -> str:
    """Return the words about the current sandbox for a run's recorded environment, such as "sandbox bubblewrap";
    "sandbox none" if none can run."""
    from scoring.extensions.sandbox.choose import current_sandbox
    from scoring.extensions.sandbox.protocol import SandboxUnavailable

    try:
        return f"sandbox {current_sandbox().name}"
    except SandboxUnavailable:
        return "sandbox none"


def _environment(languages: Sequence[str]) -> list[str]:
    from scoring.extensions.sandbox.languages import language_version

    return [sandbox_part(), *map(language_version, languages)]


def _languages(steps: Iterable[EffectStep]) -> Sequence[str]:
    """Return the names of the languages, other than Python, in which steps run programs, and "sqlite" if steps run SQL
    queries; all supported languages if a step takes the language from the record."""
    from scoring.extensions.sandbox.languages import LANGUAGES

    nodes = list(steps)
    queries = ["sqlite"] if any("queries" in node.primitive.traits for node in nodes) else []
    if any("language" in node.dynamic for node in nodes):
        return [*sorted(LANGUAGES), *queries]
    return [*sorted({node.static.get("language", "python") for node in nodes} & LANGUAGES.keys()), *queries]


EFFECT = EffectProvider("programs", settings=_languages, environment=_environment)
