"""What a sandbox is to a run: which one it is, and the languages of the programs, stand in its environment."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from scoring.registry.effect import EffectProvider, EffectStep


def sandbox_part() -> str:
    """Return what stands in a signature for the sandbox that is used now."""
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
    """Return the languages that steps run programs and queries of, beside Python; all where records tell."""
    from scoring.extensions.sandbox.languages import LANGUAGES

    nodes = list(steps)
    queries = ["sqlite"] if any("queries" in node.primitive.traits for node in nodes) else []
    if any("language" in node.dynamic for node in nodes):
        return [*sorted(LANGUAGES), *queries]
    return [*sorted({node.static.get("language", "python") for node in nodes} & LANGUAGES.keys()), *queries]


EFFECT = EffectProvider("programs", settings=_languages, environment=_environment)
