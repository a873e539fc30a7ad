"""A real Chromium that tests drive: the DevTools protocol over two pipes, no library and no port."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import select
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pytest

from tests.support.waiting import PATIENCE, wait_until

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
_FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-extensions",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-default-apps",
    "--mute-audio",
    "--remote-debugging-pipe",
    # Whatever a page asks for elsewhere is asked for in vain, and seen.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)
# What Chromium answers to a question about a page that was left before it was answered.
_LEFT = "Inspected target navigated or closed"
_ENTER = {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "text": "\r"}
_KEYS: dict[str, dict[str, Any]] = {
    "Enter": _ENTER,
    "ArrowDown": {"key": "ArrowDown", "code": "ArrowDown", "windowsVirtualKeyCode": 40},
    "Escape": {"key": "Escape", "code": "Escape", "windowsVirtualKeyCode": 27},
    "/": {"key": "/", "code": "Slash", "windowsVirtualKeyCode": 191, "text": "/"},
}


def _high_pipe() -> tuple[int, int]:
    ends = os.pipe()
    found = fcntl.fcntl(ends[0], fcntl.F_DUPFD_CLOEXEC, 20), fcntl.fcntl(ends[1], fcntl.F_DUPFD_CLOEXEC, 20)
    for end in ends:
        os.close(end)
    return found


class LeftPage(AssertionError):
    """The page that was asked is there no more."""


class Browser:
    """A browser with one page, which notes what goes wrong in it and what it asks for.

    Args:
        folder: Where it keeps its profile.
    """

    def __init__(self, folder: Path) -> None:
        assert CHROMIUM is not None
        # The protocol wants the pipes to be descriptors 3 and 4, which ours are kept away from.
        theirs_in, self._write = _high_pipe()
        self._read, theirs_out = _high_pipe()
        script = f'exec "$@" 3<&{theirs_in} 4>&{theirs_out} {theirs_in}<&- {theirs_out}>&-'
        command = ["bash", "-c", script, "bash", CHROMIUM, *_FLAGS, f"--user-data-dir={folder}", "about:blank"]
        self._process = subprocess.Popen(
            command,
            pass_fds=(theirs_in, theirs_out),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        os.close(theirs_in)
        os.close(theirs_out)
        self._held = bytearray()
        self._count = 0
        self._session = ""
        self.problems: list[str] = []
        self.requests: list[str] = []
        self._loaded: set[str] = set()
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self._call(f"{domain}.enable")
        self._call("Page.setLifecycleEventsEnabled", enabled=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with contextlib.suppress(OSError, AssertionError):
            self._session = ""
            self._call("Browser.close")
        os.close(self._write)
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, 9)
            self._process.wait()
        os.close(self._read)

    def open(self, address: str) -> None:
        """Go to a page, and wait until it and its scripts are there."""
        loader = self._call("Page.navigate", url=address).get("loaderId")
        # Of this page, not of one before it, whose end may be told late; a place on the same page loads nothing.
        self._until(lambda: loader is None or loader in self._loaded)

    def evaluate(self, script: str) -> Any:
        """The value of an expression on the page; what it throws fails the test."""
        found = self._call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def wait_for(self, script: str) -> Any:
        """The value of an expression once it is true."""
        found: list[Any] = [None]

        def is_true() -> bool:
            # A page that is left in the middle of an answer gives none; the next page is asked.
            with contextlib.suppress(LeftPage):
                found[0] = self.evaluate(script)
            return bool(found[0])

        wait_until(is_true, self._process)
        return found[0]

    def press(self, key: str) -> None:
        """Press a key and let it go."""
        self._call("Input.dispatchKeyEvent", type="keyDown", **_KEYS[key])
        self._call("Input.dispatchKeyEvent", type="keyUp", **{**_KEYS[key], "text": ""})

    def undo(self, again: bool = False) -> None:
        """Press what undoes the last thing that was written, or does it again."""
        key = {"key": "z", "code": "KeyZ", "windowsVirtualKeyCode": 90, "modifiers": 10 if again else 2}
        self._call("Input.dispatchKeyEvent", type="keyDown", commands=["redo" if again else "undo"], **key)
        self._call("Input.dispatchKeyEvent", type="keyUp", **key)

    def write(self, text: str) -> None:
        """Write a text where the page's cursor stands."""
        self._call("Input.insertText", text=text)

    def picture(self) -> str:
        """What the page looks like, as a PNG in base 64."""
        found: str = self._call("Page.captureScreenshot", format="png")["data"]
        return found

    def resize(self, width: int, height: int, *, dark: bool = False) -> None:
        """Give the page a size, and what its reader prefers."""
        self._call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._call("Emulation.setEmulatedMedia", features=[scheme])

    def as_printed(self, width: int) -> None:
        """Show pages as they are printed, on paper of a width, by a reader who prefers dark screens."""
        self.resize(width, 1000, dark=True)
        scheme = {"name": "prefers-color-scheme", "value": "dark"}
        self._call("Emulation.setEmulatedMedia", media="print", features=[scheme])

    def without_scripts(self, disabled: bool = True) -> None:
        """Let pages run no script from now on, or let them again."""
        self._call("Emulation.setScriptExecutionDisabled", value=disabled)

    def bypass_policy(self, enabled: bool = True) -> None:
        """Let a test's own scripts run on pages whose policy forbids all but theirs, or forbid it again."""
        self._call("Page.setBypassCSP", enabled=enabled)

    def _call(self, method: str, **params: Any) -> Any:
        self._count += 1
        number = self._count
        message = {"id": number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        for found in self._messages():
            if found.get("id") == number:
                if found.get("error", {}).get("message") == _LEFT:
                    raise LeftPage(method)
                assert "error" not in found, (method, found["error"])
                return found["result"]
        raise AssertionError(f"{method} has no answer")

    def _until(self, happened: Any) -> None:
        for _ in self._messages():
            if happened():
                return

    def _messages(self) -> Iterator[dict[str, Any]]:
        while True:
            text, end, rest = bytes(self._held).partition(b"\0")
            if end:
                self._held = bytearray(rest)
                found = json.loads(text)
                self._note(found.get("method", ""), found.get("params", {}))
                yield found
                continue
            ready = select.select([self._read], [], [], PATIENCE)[0]
            assert ready, "the browser says nothing any more"
            block = os.read(self._read, 1 << 20)
            assert block, "the browser has ended"
            self._held += block

    def _note(self, method: str, params: dict[str, Any]) -> None:
        if method == "Page.lifecycleEvent" and params["name"] == "load":
            self._loaded.add(params["loaderId"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            self.problems.append(json.dumps(params["exceptionDetails"])[:500])
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.problems.append(f"{params['entry']['text']} {params['entry'].get('url', '')}")
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            self.problems.append(json.dumps(params["args"])[:500])
        elif method == "Page.javascriptDialogOpening":
            self.problems.append(f"a dialog: {params.get('message')}")
