"""The process that audits what stands in a studio's editor, once somebody asks for it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from scoring.api.opening import Opened
from scoring.data.rows.report import InputReport
from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.visible import safe_line
from scoring.errors import InputError
from scoring.extensions.audit.verbs import AuditReport, audit
from scoring.extensions.studio.blocks import document_data
from scoring.extensions.studio.keeping import compiled_text, open_texts
from scoring.extensions.studio.settings import StudioSettings
from scoring.extensions.suites.model import Suite
from scoring.extensions.suites.running import suite_lanes
from scoring.result import describe_error


def make_auditor(settings: StudioSettings) -> Callable[[bytes], str]:
    """Return the function that the child process calls with a question; it gives the audit's report as JSON."""

    def answer(packed: bytes) -> str:
        question = json.loads(packed)
        try:
            opened = compiled_text(open_texts(question), settings.spec)
            report = _audited(opened, settings, question.get("task"))
            return json.dumps({"passed": report.passed, "blocks": document_data(report.document())})
        except SpecError:
            return json.dumps({"problem": "the text has mistakes; an audit needs one that has none"})
        except InputError as error:
            return json.dumps({"problem": safe_line(str(error))})
        except Exception as error:  # a mistake of ours
            return json.dumps({"problem": f"this is a bug in scoring: {describe_error(error)}"})

    return answer


def _audited(opened: Opened, settings: StudioSettings, task: Any) -> AuditReport:
    """Return the audit of a spec on its data; of a suite that of one of its tasks on this one's records."""
    if not isinstance(opened.target, Suite):
        return audit(
            opened,
            settings.data,
            references=settings.references,
            input_format=settings.input_format,
            reference_format=settings.reference_format,
            limit=settings.limit,
        )
    if opened.target.results is not None:
        raise InputError("a suite that is computed from task results has nothing to audit")
    for lane in suite_lanes(opened, settings.given().opened(), InputReport()):
        if lane.label == task:
            records = [record for batch in lane.batches for record in batch.records if record is not None]
            return audit(lane.task, records, limit=settings.limit)
    raise InputError("a suite is audited task by task: choose one of its tasks")
