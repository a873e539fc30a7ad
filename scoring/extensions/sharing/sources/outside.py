"""Sources that a fetched pack may name for its imports: public locations only, outside of our network."""

from __future__ import annotations

import ipaddress
import re
import socket
from urllib.parse import urlsplit

from scoring.extensions.sharing.sources.git import git_address
from scoring.project.file import PackSource

_HOSTED = ("https", "http", "ssh", "git")
_STORES = ("s3", "gs", "gcs", "hf", "github", "az", "abfs", "abfss")
"""Stores that are called by a name of their own, and no host."""

_INSIDE = ("localhost", "local", "localdomain", "internal", "intranet", "private", "corp", "home", "lan", "arpa")
_SHORT = re.compile(r"(?:[^@/:]+@)?(\[[^]]+\]|[^@/:]+):(?!//)")


def inside_fault(source: PackSource, parent: PackSource, *, asks: bool) -> str:
    """Return why a fetched pack can't name a source; "" if it can.

    Args:
        source: What its project file names.
        parent: Where the pack itself came from. On the very host that its user has named it may name more.
        asks: Whether names of hosts are looked up, which takes a network.

    Raises:
        InputError: when it is called a repository, and is no address of one.

    Examples:
        >>> inside_fault(PackSource("address", "http://10.0.0.1/x"), PackSource("here"), asks=False)
        'a place inside our own network'
        >>> inside_fault(PackSource("address", "memory://x"), PackSource("here"), asks=False)
        'a kind of address that no fetched pack may name (memory)'
        >>> inside_fault(PackSource("git", "https://github.com/a/b.git"), PackSource("here"), asks=False)
        ''
    """
    if source.kind not in ("git", "address"):
        return ""
    kind, host = _place(git_address(source.where) if source.kind == "git" else source.where)
    if kind == "file":
        return "" if _place(parent.where)[0] == "file" else "a place of this machine"
    if kind in _STORES:
        return ""
    if kind not in _HOSTED:
        return f"a kind of address that no fetched pack may name ({kind})"
    if host == _place(parent.where)[1]:
        return ""
    return "a place inside our own network" if _is_inside(host, asks) else ""


def _place(where: str) -> tuple[str, str]:
    """Return the kind of an address and its host, in small letters."""
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
    """Return the address that a host is written as, in any form that a resolver takes, such as 127.1 or 0x7f000001."""
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
    """Return the addresses of a host name; none if it is unknown, which is reported when fetching."""
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return []
    return [ipaddress.ip_address(str(one[4][0]).partition("%")[0]) for one in found]
