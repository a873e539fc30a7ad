"""The judge as an effect of a run: opened, named in the signature, accounted, and restored for a finished run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scoring.registry.effect import Account, EffectAgain, EffectProvider

if TYPE_CHECKING:
    from scoring.extensions.judge.asking.ledger import Ledger
    from scoring.extensions.judge.judge_options import JudgeOptions


def judge_part() -> str:
    """Return the current judge's part of a signature (the line that names all that can change a figure); "none" if
    there is no judge.
    """
    from scoring.extensions.judge.asking.opening import signature_part
    from scoring.extensions.judge.protocol import JudgeError, current_judge

    try:
        return signature_part(current_judge())
    except JudgeError:
        return "none"


def judge_account() -> Account:
    """Start counting the replies of the current judge that a run uses, and return a function that, called at the end of
    the run, returns the judge's model and the numbers of replies and tokens; an empty mapping without a judge.

    All replies used count, whether paid for now or read from the cache, so that an uninterrupted run, a resumed run and
    a replay report the same numbers.
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


def _opened(
    options: JudgeOptions | None, *, needed: bool, on_note: Callable[[str], None] | None = None
) -> AbstractContextManager[Any]:
    from scoring.extensions.judge.judge_of_run import judge_of

    return judge_of(options, needed=needed, on_note=on_note)


def _from_settings(settings: Mapping[str, Any], asks: bool) -> JudgeOptions:
    from scoring.extensions.judge.judge_again import options_again
    from scoring.extensions.judge.judge_options import JudgeOptions

    found = options_again(settings)
    # If the manifest names no judge, the one configured in the environment must not be used.
    return JudgeOptions(replay=asks) if found == JudgeOptions() else found


def _from_bundle(folder: Path, calls: Path, settings: Mapping[str, Any]) -> JudgeOptions:
    from scoring.extensions.judge.judge_again import options_again
    from scoring.extensions.judge.judge_options import JudgeOptions
    from scoring.extensions.judge.verbs import import_calls

    if not calls.is_file():
        # Running a bundle must not cost its recipient calls, nor send requests with the recipient's key.
        return JudgeOptions(replay=True, cache=str(calls)) if settings.get("judge") is not None else JudgeOptions()
    cache = folder / "judge.sqlite"
    import_calls(cache, calls)
    return options_again({**settings, "judge": {**settings["judge"], "cache": str(cache)}})


def _replies(judge: Any, cache: str) -> bytes:
    from scoring.extensions.judge.asking.cache import JudgeCache
    from scoring.extensions.judge.asking.cache_tools import export_cache

    requested = {key for member in getattr(judge, "members", (judge,)) for key in member.cache.requested}
    with closing(JudgeCache(cache, read_only=True)) as calls:
        return "".join(f"{line}\n" for line in export_cache(calls, requested)).encode()


EFFECT = EffectProvider(
    "judge",
    part=judge_part,
    account=judge_account,
    open=_opened,
    again=EffectAgain(_from_settings, _from_bundle, _replies),
)
