"""Texts that steer whoever shows them: terminals, logs, runners of CI jobs, Markdown, HTML, spreadsheets.

Each holds the word FORGED where a forged line, markup or cell would begin.
"""

from __future__ import annotations

import re

HOSTILE_TEXTS: dict[str, str] = {
    # Controls of C0 and C1
    "null": "a\x00b",
    "bell": "a\x07b",
    "backspaces": "good\x08\x08\x08\x08FORGED",
    "vertical tab": "a\x0bFORGED",
    "form feed": "a\x0cFORGED",
    "carriage return": "a\rFORGED",
    "shift out": "a\x0eb",
    "device control": "a\x11\x13b",
    "end of file": "a\x1ab",
    "delete": "a\x7fb",
    "next line": "a\x85FORGED",
    "reverse line feed": "a\x8dFORGED",
    "csi of c1": "a\x9b2Jb",
    "osc of c1": "a\x9d0;title\x9cb",
    "dcs of c1": "a\x90q\x9cb",
    "single shift": "a\x8e\x8fb",
    # What terminals obey
    "clear": "\x1b[2J\x1b[H",
    "colours": "\x1b[31;1mred\x1b[0m",
    "hidden": "\x1b[8mhidden\x1b[28m",
    "up and over": "a\x1b[1A\x1b[2KFORGED",
    "title": "\x1b]0;owned\x07",
    "hyperlink": "\x1b]8;;https://evil.example\x1b\\click\x1b]8;;\x1b\\",
    "clipboard": "\x1b]52;c;cm0gLXJmIC8=\x07",
    "device status": "\x1b[6n",
    "sixel": "\x1bPq#0;2;0;0;0\x1b\\",
    "private mode": "\x1b[?1049h",
    # Order, and what is not seen
    "right to left override": "a\u202egpj.exe\u202c",
    "embedding": "\u202a\u202b\u202d",
    "isolates": "\u2066\u2067\u2068\u2069",
    "marks": "\u200e\u200f\u061c",
    "zero width": "pay\u200bpal\u200c\u200d\u2060\ufeff",
    "soft hyphen": "a\u00adb\u180ec",
    "line separator": "a\u2028FORGED",
    "paragraph separator": "a\u2029FORGED",
    "annotation": "a\ufff9b\ufffac\ufffb",
    "tags": "a\U000e0041\U000e007fb",
    "half a pair": "a\ud800b",
    # Forged lines
    "finding": "a\nFORGED error[unknown-key]: x\n --> other.yaml:1:1",
    "end of findings": "a\r\nFORGED Found 0 errors",
    "help": "a\nFORGED help: run rm -rf",
    # Runners of CI jobs
    "command": "::error file=a,line=1::FORGED",
    "command on a line": "a\n::error::FORGED",
    "command behind spaces": "  ::add-mask::FORGED",
    "stop commands": "::stop-commands::x",
    "coded line end": "a%0A::error::FORGED",
    "old command": "a ##[error]FORGED",
    "pipelines": "##vso[task.setvariable variable=a]FORGED",
    # Markdown, HTML
    "cells": "a | FORGED | b",
    "rule": "a\n|---|---|\n| FORGED | x |",
    "fence": "a\n```\n# FORGED\n```",
    "link": "[x](javascript:alert(1))",
    "picture": "![x](https://evil.example/p.png)",
    "script": "<script>alert(1)</script>",
    "handler": '"><img src=x onerror=alert(1)>',
    "comment": "<!-- FORGED --><!--",
    "end of code": "</code></td></tr></table><h1>FORGED</h1>",
    "mention": "@everyone #1 GH-1",
    # Spreadsheets, shells, formats
    "formula": "=cmd|'/c calc'!A1",
    "formula with plus": '+HYPERLINK("https://evil.example")',
    "shell": "$(touch owned); `id` && ${IFS}",
    "percent": "%s%n%(name)s {0} {self}",
    "escaped already": "\\x1b[2J \\u202e",
}

# C0 without line end and tab, DEL and C1, what is not seen or turns the order, half characters, tags.
_OBEYED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
_FORGED = re.compile(r"^[ \t]*(?:FORGED|::[A-Za-z])|##\w*\[", re.MULTILINE)
_TAGS = re.compile(r"<script>alert|<img |<h1>FORGED|<!-- FORGED|on\w+=alert\(1\)>")
_MARKS = re.compile(r"^(?:# FORGED|```\n#|\| FORGED)|\]\(javascript|!\[x\]\(|@everyone", re.MULTILINE)
_FENCED = re.compile(r"^(`{3,})\w*\n.*?\n\1$", re.MULTILINE | re.DOTALL)


def controls(printed: str) -> list[str]:
    """What of a text steers a terminal, or is not seen."""
    return [*map(ascii, _OBEYED.findall(printed))]


def steers(printed: str) -> list[str]:
    """What of a printed text a terminal, or the runner of a CI job, would obey."""
    return [*controls(printed), *(found[0] for found in _FORGED.finditer(printed))]


def tags(printed: str) -> list[str]:
    """What of a page is a tag that the data brought."""
    return _TAGS.findall(printed)


def marks_up(printed: str) -> list[str]:
    """What of Markdown is markup that the data brought; between fences nothing is."""
    text = _FENCED.sub("", printed)
    return _TAGS.findall(text) + [found[0] for found in _MARKS.finditer(text)]
