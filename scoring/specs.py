"""The public names for spec files: write, format, convert and list them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scoring.api.room import room

if TYPE_CHECKING:
    from scoring.api.specs import check_file as check_file
    from scoring.api.specs import check_text as check_text
    from scoring.extensions.audit.verbs import AuditReport as AuditReport
    from scoring.extensions.authoring.continuous import init_ci as init_ci
    from scoring.extensions.authoring.repairing import Repaired as Repaired
    from scoring.extensions.authoring.repairing import repair_text as repair_text
    from scoring.extensions.authoring.starting import new_from as new_from
    from scoring.extensions.authoring.writing import convert as convert
    from scoring.extensions.authoring.writing import fmt as fmt
    from scoring.extensions.authoring.writing import new as new
    from scoring.extensions.conformance.verbs import ConformanceReport as ConformanceReport
    from scoring.extensions.conformance.verbs import conformance as conformance
    from scoring.extensions.reference.lists import listing as listing
    from scoring.extensions.sharing.verbs.differing import SpecDiff as SpecDiff

__all__, __getattr__, __dir__ = room("specs")
