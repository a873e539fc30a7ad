"""The process that audits what stands in a studio's editor, once somebody asks for it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from scoring.compiler.tasks.compile import compile_task
from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.visible import safe_line
from scoring.errors import InputError
from scoring.extensions.audit.verbs import audit
from scoring.extensions.studio.blocks import document_data
from scoring.extensions.studio.desk import StudioSettings
from scoring.format.load import Loader
from scoring.result import describe_error


def make_auditor(settings: StudioSettings) -> Callable[[bytes], str]:
    """Return the function that the child process calls with a text; it gives the audit's report as JSON."""

    def answer(text: bytes) -> str:
        loader = Loader()
        try:
            task, _ = compile_task(loader.text(text.decode(), Path(settings.spec)), loader)
            report = audit(
                task,
                settings.data,
                references=settings.references,
                input_format=settings.input_format,
                reference_format=settings.reference_format,
                limit=settings.limit,
            )
            return json.dumps({"passed": report.passed, "blocks": document_data(report.document())})
        except SpecError:
            return json.dumps({"problem": "the text has mistakes; an audit needs one that has none"})
        except InputError as error:
            return json.dumps({"problem": safe_line(str(error))})
        except Exception as error:  # a mistake of ours
            return json.dumps({"problem": f"this is a bug in scoring: {describe_error(error)}"})

    return answer
