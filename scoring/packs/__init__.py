"""Functions of the commands about sharing packs, such as `add` and `sign`; the subfolders are packs of benchmarks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scoring.api.room import room

if TYPE_CHECKING:
    from scoring.extensions.sharing.verbs.citing import Citation as Citation
    from scoring.extensions.sharing.verbs.citing import cite as cite
    from scoring.extensions.sharing.verbs.projects import add as add
    from scoring.extensions.sharing.verbs.projects import lock as lock
    from scoring.extensions.sharing.verbs.projects import remove as remove
    from scoring.extensions.sharing.verbs.projects import upgrade as upgrade
    from scoring.extensions.sharing.verbs.releasing import Released as Released
    from scoring.extensions.sharing.verbs.releasing import release as release
    from scoring.extensions.sharing.verbs.signing import Signed as Signed
    from scoring.extensions.sharing.verbs.signing import new_key as new_key
    from scoring.extensions.sharing.verbs.signing import sign as sign
    from scoring.extensions.sharing.verbs.signing import signed_by as signed_by
    from scoring.extensions.sharing.verbs.signing import statement as statement
    from scoring.extensions.sharing.verbs.signing import verify_release as verify_release

__all__, __getattr__, __dir__ = room("packs")
