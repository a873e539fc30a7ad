"""Sites of packs and tasks: built as files, or served to this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scoring.api.room import room

if TYPE_CHECKING:
    from scoring.extensions.site.verbs import WrittenSite as WrittenSite
    from scoring.extensions.site.verbs import build as build
    from scoring.extensions.site.verbs import serve as serve

__all__, __getattr__, __dir__ = room("site")
