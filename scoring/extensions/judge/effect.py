"""What a judge is to a run: a part of its signature, and what its replies cost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from scoring.registry.effect import Account, EffectProvider

if TYPE_CHECKING:
    from scoring.extensions.judge.asking.ledger import Ledger


def judge_part() -> str:
    """Return what stands in a signature for the judge that is configured now."""
    from scoring.extensions.judge.asking.opening import signature_part
    from scoring.extensions.judge.protocol import JudgeError, current_judge

    try:
        return signature_part(current_judge())
    except JudgeError:
        return "none"


def judge_account() -> Account:
    """Return what tells at the end of a run what the judge took.

    It counts the replies that were used, whether they were paid for now or come from the cache, so that a run that
    was killed and went on, and a replay, tell the same as a run that nothing disturbed.
    """
    from scoring.extensions.judge.protocol import JudgeError, current_judge

    try:
        judge = current_judge()
    except JudgeError:
        return dict
    ledger: Ledger | None = getattr(judge, "ledger", None)
    if ledger is None:
        return dict
    name, before = judge.name, ledger.replies()

    def used() -> Mapping[str, Any]:
        taken = {kind: round(value - before[kind], 6) for kind, value in ledger.replies().items()}
        return {"judge": {"model": name, **taken}}

    return used


EFFECT = EffectProvider("judge", part=judge_part, account=judge_account)
