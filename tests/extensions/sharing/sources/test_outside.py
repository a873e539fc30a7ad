"""What a fetched pack may name as the source of another: nothing of this machine, and nothing inside its network."""

from __future__ import annotations

import pytest

from scoring.errors import InputError
from scoring.extensions.sharing.sources.outside import inside_fault
from scoring.project.file import PackSource

AFAR = PackSource("git", "https://example.org/a.git", tag="v1")


def fault(where: str, parent: PackSource = AFAR, kind: str = "address") -> str:
    return inside_fault(PackSource(kind, where), parent, asks=False)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "where",
    [
        "http://127.0.0.1:1/latest/meta-data/x.yaml", "http://127.1/x", "http://2130706433/x", "http://0x7f000001/x",
        "http://0177.0.0.1/x", "http://[::1]/x", "http://[::ffff:10.0.0.1]/x", "http://169.254.169.254/x",
        "https://10.1.2.3/x", "https://192.168.0.1/x", "https://172.16.0.1/x", "https://100.64.0.1/x", "http://0.0.0.0/x",
        "http://localhost/x", "http://LOCALHOST./x", "http://build/x", "http://x.internal/x", "http://nas.local/x",
        "https://[fe80::1%25eth0]/x", "https://[fd00::1]/x", "http://224.0.0.1/x",
    ],
)  # fmt: skip
def test_a_place_inside_is_refused(where: str) -> None:
    assert fault(where) == "a location inside your own network"


@pytest.mark.parametrize("where", ["https://10.0.0.1/a.git", "ssh://git@localhost/a.git", "git@build:a/b.git"])
def test_so_is_a_repository_there(where: str) -> None:
    assert fault(where, kind="git") == "a location inside your own network"


@pytest.mark.parametrize("kind", ["ftp", "memory", "hdfs", "sftp"])
def test_other_kinds_are_refused(kind: str) -> None:
    assert fault(f"{kind}://example.org/x") == f"a kind of address that a fetched pack may not name ({kind})"


def test_a_file_is_a_place_of_this_machine_alone() -> None:
    assert fault("file:///etc/x.yaml") == "a location on this machine"
    assert fault("file:///packs/b", PackSource("address", "file:///packs/a")) == ""


@pytest.mark.parametrize(
    "where",
    ["https://example.org/x", "http://93.184.216.34/x", "s3://bucket/x", "github://a:b@v1/x", "hf://datasets/x"],
)
def test_places_outside_are_taken(where: str) -> None:
    assert fault(where) == ""


def test_the_very_host_that_the_user_named_may_name_itself() -> None:
    inside = PackSource("address", "http://10.0.0.1:8000/packs")
    assert fault("http://10.0.0.1:9000/other", inside) == ""
    assert fault("http://10.0.0.2/other", inside) == "a location inside your own network"


def test_what_is_no_address_of_a_repository_is_told_as_that() -> None:
    with pytest.raises(InputError, match="is not an address of a git repository"):
        fault("ext::sh -c x", kind="git")


def test_a_name_that_stands_for_a_place_inside_is_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.getaddrinfo", lambda *_, **__: [(0, 0, 0, "", ("10.0.0.1", 0))])
    source = PackSource("address", "https://rebound.example.org/x")
    assert inside_fault(source, AFAR, asks=True) == "a location inside your own network"
    assert inside_fault(source, AFAR, asks=False) == ""
