"""The public names for web sites of packs and tasks: build them as files, or serve them on this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scoring.api.room import room

if TYPE_CHECKING:
    from scoring.extensions.site.verbs import WrittenSite as WrittenSite
    from scoring.extensions.site.verbs import build as build
    from scoring.extensions.site.verbs import serve as serve

__all__, __getattr__, __dir__ = room("site")
