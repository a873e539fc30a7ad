"""The server of a studio: its page, and the answers to what the page asks, for whoever knows the key in its address."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from scoring.data.json_read import NotJson, parse
from scoring.errors import InputError
from scoring.extensions.editors.server.legend import TOKEN_TYPES
from scoring.extensions.net.loopback import LoopbackServer
from scoring.extensions.processes.child import ChildLost
from scoring.extensions.studio import driving
from scoring.extensions.studio.driving import AskedChild, ScoringDriver
from scoring.extensions.studio.files import MOST_BYTES, EditedFiles
from scoring.extensions.studio.settings import StudioSettings

_HERE = Path(__file__).parent
_FILES = {name: _HERE / name for name in ("index.html", "studio.js", "sets.js", "editor.js", "studio.css")}
_FILES["chart.css"] = _HERE.parent / "pages" / "chart.css"  # the look of pictures and plots, as on the pages of runs

# What a question may have, and of which types; whatever else stands in one is refused.
_FIELDS: Mapping[str, tuple[type, ...]] = {
    "ask": (str,),
    "text": (str,),
    "file": (int,),
    "position": (dict,),
    "version": (int,),
    "against": (str, type(None)),
    "row": (int,),
    "full": (bool,),
    "offset": (int,),
    "limit": (int,),
    "sort": (str,),
    "descending": (bool,),
    "search": (str,),
    "status": (str,),
    "verdict": (str,),
    "moved": (str,),
    "from": (int, float, type(None)),
    "to": (int, float, type(None)),
    "threshold": (int, float),
    "label": (list, type(None)),
    "task": (str, type(None)),
    "having": (str,),
    "overwrite": (bool,),
}
_MOST = 1 << 40
_LOOKS = ("rows", "cut", "record", "report")
_HELPS = ("complete", "hover", "format", "fix-all")


class StudioServer(LoopbackServer):
    """A context manager that serves a studio on this machine while it is open.

    Args:
        settings: What it is opened with.
        port: The port; 0 for any free one.

    Raises:
        InputError: when the spec can't be read.
    """

    command = "scoring studio"
    most_bytes = MOST_BYTES

    def __init__(self, settings: StudioSettings, port: int = 0) -> None:
        super().__init__({name: path.read_bytes() for name, path in _FILES.items()}, port)
        self.settings = settings
        self._files = EditedFiles(settings.spec)
        self._of_suite: Sequence[Mapping[str, Any]] = ()
        self._numbering, self._version = threading.Lock(), 0
        self._driver = ScoringDriver(settings)
        self._helper = AskedChild("scoring.extensions.studio.helping:make_helper", None)

    @property
    def answers(self) -> Mapping[str, Callable[[bytes], bytes]]:
        """The one path to which the page sends what it asks."""
        return {"ask": self.answered}

    def __enter__(self) -> Self:
        """Start the server and the scoring; see `LoopbackServer`."""
        super().__enter__()
        self._driver.start()
        self._write(0, str(self._files.open(None)["text"]))
        return self

    def __exit__(self, *exception: object) -> None:
        super().__exit__(*exception)
        self._driver.close()
        self._helper.close()

    def answered(self, packed: bytes) -> bytes:
        """Return the answer to a question of the page, as JSON; one that is no such question is told so."""
        try:
            question = _checked(parse(packed))
            found = self._answer(question)
        except (NotJson, InputError) as error:
            found = {"problem": str(error)}
        except ChildLost as lost:
            found = {"problem": str(lost)}
        return json.dumps(found).encode()

    def _answer(self, question: dict[str, Any]) -> Any:
        match question.get("ask"):
            case "open":
                return self._opened(question.get("file"))
            case "edit":
                return self._edited(question)
            case "state":
                return self._state(question)
            case "save":
                return self._files.save(question.get("file", 0), question["text"], bool(question.get("overwrite")))
            case "audit":
                return self._audit(question)
            case "judge":
                return self._driver.look(question, driving.JUDGING)
            case one if one in _LOOKS:
                return self._driver.look(question)
            case one if one in _HELPS:
                return self._help(question)
        raise InputError(f"nothing is called {question.get('ask')!r:.40} here")

    def _opened(self, file: int | None) -> dict[str, Any]:
        given = self.settings
        about = {"spec": given.spec, "data": given.data, "beside": given.beside, "colours": TOKEN_TYPES}
        return {**about, **self._files.open(file)}

    def _edited(self, question: Mapping[str, Any]) -> dict[str, Any]:
        """Take a text: have it scored, and return its number and what is to be said about it."""
        version = self._write(question.get("file", 0), question["text"])
        return {**self._help({**question, "ask": "findings"}), "version": version}

    def _help(self, question: Mapping[str, Any]) -> Any:
        """Return the answer to a question about the text of a file, beside the texts of the others."""
        number = question.get("file", 0)
        texts = self._files.write(number, question["text"])
        named = {str(Path(path).absolute()): text for path, text in texts.items()}
        asked = {**question, "path": str(self._files.path(number).absolute()), "texts": named}
        return self._helper.ask(asked, driving.HELPING)

    def _write(self, file: int, text: str) -> int:
        with self._numbering:
            texts = self._files.write(file, text)
            self._version += 1
            self._driver.write(self._version, {"texts": texts, "shown": str(self._files.path(file))})
            return self._version

    def _state(self, question: Mapping[str, Any]) -> dict[str, Any]:
        found = self._driver.look(question)
        found["is_working"] = self._driver.is_working()
        found["problem"] = self._driver.problem or found.get("problem")
        found["beside_problem"] = self._driver.beside_problem
        self._of_suite = found.get("files", self._of_suite)
        found["files"] = self._files.listed(self._of_suite)
        return dict(found)

    def _audit(self, question: Mapping[str, Any]) -> Any:
        auditor = AskedChild("scoring.extensions.studio.auditing:make_auditor", self.settings)
        try:
            texts = self._files.write(question.get("file", 0), question["text"])
            return auditor.ask({**question, "texts": texts}, driving.AUDITING, "the audit had no end")
        finally:
            auditor.close()


def _checked(question: Any) -> dict[str, Any]:
    """Return a question after checking the types of what it has.

    Raises:
        InputError: when it is no question of the page.
    """
    if not isinstance(question, dict):
        raise InputError("a question is an object")
    for name, value in question.items():
        kinds = _FIELDS.get(name)
        if kinds is None:
            raise InputError(f"a question has no {name!r:.40}")
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            raise InputError(f"{name!r:.40} is of another type: {type(value).__name__}")
        if isinstance(value, int) and abs(value) > _MOST:
            raise InputError(f"{name!r:.40} is too large")
    needed = {"edit": ["text"], "save": ["text"], "audit": ["text"], "cut": ["threshold"], "record": ["row"]}
    needed |= {"judge": ["row"], **{name: ["text"] for name in _HELPS}}
    needed |= {"complete": ["text", "position"], "hover": ["text", "position"]}
    for name in needed.get(str(question.get("ask")), ()):
        if name not in question:
            raise InputError(f"the question lacks {name!r}")
    position = question.get("position")
    if position is not None and not all(_is_place(position.get(name)) for name in ("line", "character")):
        raise InputError("a position has a line and a character")
    return question


def _is_place(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST
