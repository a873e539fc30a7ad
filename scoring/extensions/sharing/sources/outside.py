"""Checks of the sources that a fetched pack names for its imports: they must be outside of the user's own network."""

from __future__ import annotations

import ipaddress
import re
import socket
from urllib.parse import urlsplit

from scoring.extensions.sharing.sources.git import git_address
from scoring.lazy_pattern import lazy_pattern
from scoring.project.file import PackSource

_HOSTED = ("https", "http", "ssh", "git")
_STORES = ("s3", "gs", "gcs", "hf", "github", "az", "abfs", "abfss")
"""Stores that are called by a name of their own, and no host."""

_INSIDE = ("localhost", "local", "localdomain", "internal", "intranet", "private", "corp", "home", "lan", "arpa")
_SHORT = lazy_pattern(r"(?:[^@/:]+@)?(\[[^]]+\]|[^@/:]+):(?!//)")


def inside_fault(source: PackSource, parent: PackSource, *, asks: bool) -> str:
    """Return the reason why a fetched pack may not name a source for its imports, such as a host in the user's own
    network; "" if it may.

    Args:
        source: The source that the pack's project file names.
        parent: The source of the pack itself; other sources on the same host are allowed.
        asks: Whether host names are resolved, which requires a network.

    Raises:
        InputError: when the source is a git repository with an invalid address.

    Examples:
        >>> inside_fault(PackSource("address", "http://10.0.0.1/x"), PackSource("here"), asks=False)
        'a location inside your own network'
        >>> inside_fault(PackSource("address", "memory://x"), PackSource("here"), asks=False)
        'a kind of address that a fetched pack may not name (memory)'
        >>> inside_fault(PackSource("git", "https://github.com/a/b.git"), PackSource("here"), asks=False)
        ''
    """
    if source.kind not in ("git", "address"):
        return ""
    kind, host = _place(git_address(source.where) if source.kind == "git" else source.where)
    if kind == "file":
        return "" if _place(parent.where)[0] == "file" else "a location on this machine"
    if kind in _STORES:
        return ""
    if kind not in _HOSTED:
        return f"a kind of address that a fetched pack may not name ({kind})"
    if host == _place(parent.where)[1]:
        return ""
    return "a location inside your own network" if _is_inside(host, asks) else ""


def _place(where: str) -> tuple[str, str]:
    """Return the scheme and the host of an address, both in lower case; `ssh` for an address such as `me@host:path`."""
    short = _SHORT.match(where) if "://" not in where else None
    if short is not None:
        return "ssh", short[1].strip("[]").lower()
    parts = urlsplit(where)
    return parts.scheme.lower(), (parts.hostname or "").lower().rstrip(".")


def _is_inside(host: str, asks: bool) -> bool:
    found = _number(host)
    if found is not None:
        return _is_private(found)
    if "." not in host or host.rpartition(".")[2] in _INSIDE:
        return True
    return asks and any(map(_is_private, _addresses(host)))


def _number(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Return the IP address that the text of a host means, in any form that a resolver accepts, such as 127.1 or
    0x7f000001; None for a name."""
    try:
        return ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        pass
    try:
        return ipaddress.IPv4Address(socket.inet_aton(host)) if re.fullmatch(r"[0-9a-fx.]+", host) else None
    except OSError:
        return None


def _is_private(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    mapped = getattr(address, "ipv4_mapped", None) or getattr(address, "sixtofour", None)
    return not address.is_global or address.is_multicast or (mapped is not None and not mapped.is_global)


def _addresses(host: str) -> list[ipaddress.IPv4Address | ipaddress.IPv6Address]:
    """Return the IP addresses of a host name; empty if it can't be resolved, because fetching then reports that."""
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return []
    return [ipaddress.ip_address(str(one[4][0]).partition("%")[0]) for one in found]
