"""The public names for editors and agents: what flows at an offset of a spec's text, and what may come next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scoring.api.room import room

if TYPE_CHECKING:
    from scoring.extensions.editors.asking import completions as completions
    from scoring.extensions.editors.asking import flow_at as flow_at
    from scoring.extensions.editors.model import Completion as Completion
    from scoring.extensions.editors.model import FlowAt as FlowAt
    from scoring.extensions.editors.model import StandingName as StandingName
    from scoring.extensions.editors.model import StepBefore as StepBefore

__all__, __getattr__, __dir__ = room("editors")
