"""A real YAML language server on a shipped spec: completion, hover text and a finding, from its first line alone."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.editor.client import Client
from tests.support.golden import REPOSITORY

SPEC = REPOSITORY / "specs" / "quickstart" / "invoices.yaml"
SERVER = "yaml-language-server@1"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """The server, installed from the npm registry into a folder of this test run."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed, so there is no YAML language server to ask")
    folder = tmp_path_factory.mktemp("server")
    command = [npm, "install", "--no-audit", "--no-fund", "--silent", "--prefix", str(folder), SERVER]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "CI": "1"})
    if done.returncode:
        pytest.skip(f"the YAML language server could not be installed: {done.stderr[-200:]}")
    program = folder / "node_modules" / "yaml-language-server" / "bin" / "yaml-language-server"
    with Client(["node", str(program), "--stdio"]) as client:
        yield client


def opened(server: Client, text: str, name: str) -> str:
    return server.open(Path(SPEC.parent) / name, text)


def place(text: str, mark: str) -> dict[str, int]:
    """The place of a mark in a text, as line and character from 0."""
    before = text[: text.index(mark)]
    return {"line": before.count("\n"), "character": len(before) - (before.rfind("\n") + 1)}


def test_a_shipped_spec_has_no_findings(server: Client) -> None:
    uri = opened(server, SPEC.read_text(encoding="utf-8"), "clean.yaml")
    assert server.diagnostics(uri) == []


def test_a_wrong_key_and_a_wrong_value_are_found(server: Client) -> None:
    text = SPEC.read_text(encoding="utf-8").replace("aggregate: mean", "agregate: mean").replace("zero", "nought")
    found = server.diagnostics(opened(server, text, "broken.yaml"))
    messages = " ".join(finding["message"] for finding in found)
    assert "agregate" in messages
    assert "unscored" in messages or "accepted value" in messages


def test_keys_and_primitives_are_completed(server: Client) -> None:
    text = SPEC.read_text(encoding="utf-8").replace("aggregate: mean\n", "HERE\n")
    at = place(text, "HERE")
    uri = opened(server, text.replace("HERE", ""), "keys.yaml")
    labels = completed(server, uri, at)
    assert {"aggregate", "better", "on_error"} <= labels

    listed = text.replace("HERE\n", "aggregate: mean\n").replace(
        "vendor: casefold | to_ascii | drop_articles | levenshtein | zero_below(0.8)", "vendor:\n    - HERE"
    )
    at = place(listed, "HERE")
    uri = opened(server, listed.replace("HERE", ""), "primitives.yaml")
    assert {"casefold", "levenshtein", "zero_below"} <= completed(server, uri, at)


def completed(server: Client, uri: str, at: dict[str, int]) -> set[str]:
    answer = server.request("textDocument/completion", {"textDocument": {"uri": uri}, "position": at})
    items = answer["items"] if isinstance(answer, dict) else answer
    return {item["label"] for item in items}


def test_hover_explains_a_key(server: Client) -> None:
    text = SPEC.read_text(encoding="utf-8")
    uri = opened(server, text, "hover.yaml")
    answer = server.request(
        "textDocument/hover", {"textDocument": {"uri": uri}, "position": place(text, "on_unparsed")}
    )
    assert "does not parse" in str(answer["contents"])


def test_hover_of_a_primitive_says_what_else_the_field_calls_it(server: Client) -> None:
    text = SPEC.read_text(encoding="utf-8").replace(
        "vendor: casefold | to_ascii | drop_articles | levenshtein | zero_below(0.8)",
        "vendor:\n    - casefold\n    - zero_below: {threshold: 0.8}",
    )
    uri = opened(server, text, "hover_primitive.yaml")
    answer = server.request("textDocument/hover", {"textDocument": {"uri": uri}, "position": place(text, "zero_below")})
    assert "hard threshold" in str(answer["contents"])


IMAGES = REPOSITORY / "specs" / "examples" / "detection" / "task.yaml"


def test_a_key_of_another_kind_is_found(server: Client) -> None:
    text = SPEC.read_text(encoding="utf-8") + "label_map: {lorry: truck}\n"
    found = server.diagnostics(opened(server, text, "mixed_up.yaml"))
    assert ["label_map" in finding["message"] for finding in found] == [True]
    text = IMAGES.read_text(encoding="utf-8") + "on_error: zero\n"
    found = server.diagnostics(server.open(IMAGES.parent / "mixed_up.yaml", text))
    assert ["on_error" in finding["message"] for finding in found] == [True]


def test_the_keys_of_a_data_set_are_completed(server: Client) -> None:
    text = IMAGES.read_text(encoding="utf-8").replace("by: [weather]", "settings:\n  HERE\nby: [weather]")
    at = place(text, "HERE")
    uri = server.open(IMAGES.parent / "settings.yaml", text.replace("HERE", ""))
    assert {"geometry", "worst_iou"} <= completed(server, uri, at)
