"""Opening the judge of a run from options or from the environment: client, cache, replay, panel."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Protocol

from scoring.extensions.judge.asking.cache import JudgeCache
from scoring.extensions.judge.asking.cached import CachedJudge
from scoring.extensions.judge.asking.client import HttpJudge
from scoring.extensions.judge.asking.ledger import JointLedger, Ledger
from scoring.extensions.judge.asking.settings import JudgeSettings
from scoring.extensions.judge.asking.transport import printable
from scoring.extensions.judge.calls import Judge, JudgeError, Question, Reply
from scoring.extensions.judge.prompt import digest_ascii_json

URL = "SCORING_JUDGE_URL"
MODEL = "SCORING_JUDGE_MODEL"
CACHE = "SCORING_JUDGE_CACHE"
MOST_MEMBERS = 32
"""Maximum number of models in a panel."""
REPLAY = "SCORING_JUDGE_REPLAY"


class OpenJudge(Judge, Protocol):
    """A judge that may have connections or files open, and counts its calls and costs in a ledger."""

    ledger: Ledger

    def close(self) -> None:
        """Close the connections and files."""


class JudgePanel:
    """Two or more judges that take the place of one, for metrics that combine several opinions (as judge
    programs do).
    """

    def __init__(self, members: Sequence[OpenJudge]) -> None:
        self.members = tuple(members)
        self.name = ",".join(member.name for member in members)
        self.parameters = {f"{number}": dict(member.parameters) for number, member in enumerate(members)}
        self.restarts: int | None = getattr(members[0], "restarts", None)
        self.ledger: Ledger = JointLedger([member.ledger for member in members])

    def ask(self, question: Question) -> Reply:
        """Raise `JudgeError`, since a panel can't answer a single question.

        Raises:
            JudgeError: always; metrics that combine opinions ask the members.
        """
        raise JudgeError("this metric asks a single judge, but several are configured")

    def close(self) -> None:
        """Close every member."""
        for member in self.members:
            member.close()


def open_judge(settings: JudgeSettings, *, cache: str | Path | None = None, replay: bool = False) -> OpenJudge:
    """Return the judge of a run; close it when the run is over.

    Args:
        settings: The endpoint and how it is called; for a replay only the model and its parameters matter.
        cache: A file that stores every call; none if not given.
        replay: Answer from the cache alone, without any network access.

    Raises:
        JudgeError: when a replay has no cache, or the address or the key can't be used.
    """
    if replay:
        if cache is None:
            raise JudgeError("a replay needs a judge cache")
        stored = JudgeCache(cache, read_only=True)
        ledger = Ledger(settings.input_price, settings.output_price)
        judge = CachedJudge(stored, None, name=settings.model, parameters=settings.parameters, ledger=ledger)
        judge.restarts = settings.restarts
        return judge
    client = HttpJudge(settings)
    return client if cache is None else CachedJudge(JudgeCache(cache), client)


def judge_from_environment(
    *, cache: str | Path | None = None, replay: bool | None = None, **options: Any
) -> OpenJudge | None:
    """Open and return the judge that SCORING_JUDGE_URL, _MODEL, _CACHE and _REPLAY describe; None if they describe
    none.

    A replay needs no address. Options that are given take precedence over the environment. Several comma-separated
    models make a panel.

    Args:
        cache: A file that stores every call; by default that of SCORING_JUDGE_CACHE.
        replay: Whether to answer from the cache alone; by default that of SCORING_JUDGE_REPLAY.
        options: Settings of `JudgeSettings`; None for one that is not given.

    Raises:
        JudgeError: when the judge can't be opened, too many models are named, or a replay names none.
    """
    chosen = {key: value for key, value in options.items() if value is not None}
    if replay is None:
        replay = os.environ.get(REPLAY, "") not in ("", "0")
    chosen.setdefault("base_url", "replay" if replay else os.environ.get(URL))
    models = [name.strip() for name in (chosen.pop("model", None) or os.environ.get(MODEL, "")).split(",")]
    settings = [JudgeSettings(model=model, **chosen) for model in models if model and chosen["base_url"]]
    cache = cache or os.environ.get(CACHE) or None
    if replay and cache and not settings:
        raise JudgeError(f"a replay needs the model whose calls it repeats (--judge-model); {_models_of(cache)}")
    if not settings:
        return None
    if len(settings) > MOST_MEMBERS:
        raise JudgeError(f"{len(settings):,} models are named, but a panel has at most {MOST_MEMBERS}")
    with ExitStack() as closing:
        opened = []
        for one in settings:
            opened.append(open_judge(one, cache=cache, replay=replay))
            closing.callback(opened[-1].close)
        closing.pop_all()  # if opening one fails, the others are closed
    return opened[0] if len(opened) == 1 else JudgePanel(opened)


def _models_of(path: str | Path) -> str:
    cache = JudgeCache(path, read_only=True)
    try:
        rows = cache.execute(
            "SELECT DISTINCT substr(model, 1, 100) FROM calls WHERE typeof(model) = 'text' ORDER BY 1 LIMIT 9",
            all_calls=True,
        )
    finally:
        cache.close()
    names = [printable(name) for (name,) in rows]
    return f"{Path(path).name} holds calls of {', '.join(names) or 'no model'}"


def signature_part(judge: Judge) -> str:
    """Return the judge's part of a signature (the line that names all that can change a figure): its model, and a
    digest of its settings that can change a verdict.

    Examples:
        >>> from scoring.extensions.judge.asking.scripted import ScriptedJudge
        >>> signature_part(ScriptedJudge([]))
        'scripted+44136fa3'
    """
    restarts = getattr(judge, "restarts", None)
    settings = {**judge.parameters, **({"restarts": restarts} if restarts else {})}
    return f"{judge.name}+{digest_ascii_json(settings)[:8]}"
