"""Check relative file paths from untrusted sources: trees, archives and lists of files."""

from __future__ import annotations

import re

from scoring.lazy_pattern import lazy_pattern

LONGEST_PATH = 240
"""The most characters of a file's path below its folder."""
MOST_FOLDERS = 20
"""The most nested folders of such a path."""
_LONGEST_NAME = 120
_RESERVED = lazy_pattern(r"(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(\..*)?", re.IGNORECASE)
_ODD = lazy_pattern(r'[\x00-\x1f\x7f<>:"|?*\\]')


def path_fault(path: str) -> str:
    r"""Return the reason why a path is not a valid relative file path on every system; "" if it is valid.

    Examples:
        >>> path_fault("packs/close/pack.yaml"), path_fault("../a"), path_fault("/a")
        ('', 'it leads outside its folder', 'it leads outside its folder')
        >>> path_fault("a\\b.yaml"), path_fault("NUL.yaml")
        ('it has a character that some systems refuse in file names', '`NUL.yaml` is a name that Windows reserves')
        >>> path_fault("a./b")
        '`a.` ends in a dot or a space'
    """
    parts = path.split("/")
    if path.startswith("/") or ".." in parts:
        return "it leads outside its folder"
    if not path or "" in parts or "." in parts:
        return "it is not the path of a file"
    if len(path) > LONGEST_PATH or any(len(part) > _LONGEST_NAME for part in parts):
        return f"it is longer than {LONGEST_PATH} characters, or a name in it than {_LONGEST_NAME}"
    if len(parts) > MOST_FOLDERS:
        return f"it has more than {MOST_FOLDERS} nested folders"
    if _ODD.search(path) or not path.isprintable():
        return "it has a character that some systems refuse in file names"
    for part in parts:
        if _RESERVED.fullmatch(part):
            return f"`{part}` is a name that Windows reserves"
        if part.endswith((".", " ")):
            return f"`{part}` ends in a dot or a space"
    return ""
