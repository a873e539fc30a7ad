"""What an address reaches: files of a server and of stores, each held to the digest that `versions.json` has."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import fsspec
import pytest

from scoring.errors import InputError
from scoring.extensions.sharing.sources import address as module
from scoring.extensions.sharing.sources import web
from scoring.extensions.sharing.sources.address import AddressSource, store_address
from scoring.extensions.sharing.sources.versions_file import ListedRelease, read_versions, versions_text
from tests.extensions.sharing.sources.packs import pack
from tests.support.file_server import FileServer, file_server, say, sends_to


@pytest.fixture
def server() -> Iterator[FileServer]:
    with file_server() as found:
        yield found


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def published(**versions: str) -> dict[str, bytes]:
    """A folder of releases of `close`: the text of each by version, with `_` for the dots."""
    listed = {}
    files: dict[str, bytes] = {}
    for version, text in versions.items():
        version = version.strip("v").replace("_", ".")
        path = f"close/{version}/pack.yaml"
        files[f"/packs/{path}"] = text.encode()
        listed[version] = ListedRelease(path, {path: sha256(text)})
    return {**files, "/packs/versions.json": versions_text({"close": listed}).encode()}


BOTH = published(v1_0_0=pack(), v1_1_0=pack(version="1.1.0"))


def refusal(address: str) -> str:
    with pytest.raises(InputError) as raised:
        _ = [one.content.files for one in AddressSource(address).releases()]
    assert "\n" not in str(raised.value)
    return str(raised.value)


def test_releases_are_listed_and_fetched_when_they_are_wanted(server: FileServer) -> None:
    server.files |= BOTH
    found = {one.version: one for one in AddressSource(f"{server.url}/packs").releases()}
    assert server.asked == ["/packs/versions.json"]
    assert found["1.1.0"].content.files == {"pack.yaml": pack(version="1.1.0").encode()}
    assert server.asked[1:] == ["/packs/close/1.1.0/pack.yaml"]


def test_one_file_is_a_release_with_what_it_imports_beside_it(server: FileServer) -> None:
    server.files |= {
        "/a/close.yaml": pack(more="imports: {m: ./more.yaml}\n").encode(),
        "/a/more.yaml": pack("m").encode(),
    }
    (found,) = AddressSource(f"{server.url}/a/close.yaml").releases()
    assert set(found.content.files) == {"close.yaml", "more.yaml"}


@pytest.mark.parametrize("kind", ["memory", "file"])
def test_stores_are_read_as_servers_are(kind: str, tmp_path: Path) -> None:
    root = f"memory://releases{tmp_path}" if kind == "memory" else f"file://{tmp_path}"
    for path, data in BOTH.items():
        with fsspec.open(f"{root}{path}", "wb", auto_mkdir=True) as file:
            file.write(data)
    found = AddressSource(f"{root}/packs").releases()
    assert {one.version: one.content.files["pack.yaml"] for one in found} == {
        "1.0.0": pack().encode(), "1.1.0": pack(version="1.1.0").encode()
    }  # fmt: skip
    assert "has no `versions.json`" in refusal(f"{root}/other")


def test_content_that_was_changed_on_the_server_is_refused(server: FileServer) -> None:
    server.files |= BOTH | {"/packs/close/1.0.0/pack.yaml": pack(more="doc: changed\n").encode()}
    said = refusal(f"{server.url}/packs")
    assert "of `close` 1.0.0 is not what `versions.json` says (another SHA-256)" in said


def test_a_list_that_calls_a_release_what_it_is_not_is_refused(server: FileServer) -> None:
    server.files |= published(v1_0_0=pack(version="2.0.0"))
    assert "lists as `close` 1.0.0 what is `close` 2.0.0" in refusal(f"{server.url}/packs")


def test_a_server_sends_on_to_itself_and_nowhere_else(server: FileServer) -> None:
    server.files |= BOTH | {"/old/versions.json": sends_to("/packs/versions.json")}
    assert len(AddressSource(f"{server.url}/old").releases()) == 2
    with file_server() as other:
        other.files |= BOTH
        server.files["/old/versions.json"] = sends_to(f"{other.url}/packs/versions.json")
        assert "redirects to another server" in refusal(f"{server.url}/old")
        assert other.asked == []
    for place in ("https://127.0.0.1/x", "//elsewhere/x", "file:///etc/passwd", server.url.replace("//", "//a:b@")):
        server.files["/old/versions.json"] = sends_to(place)
        assert "redirects to another server" in refusal(f"{server.url}/old")


def test_a_server_that_sends_on_for_ever_is_left(server: FileServer) -> None:
    server.files["/packs/versions.json"] = sends_to("/packs/versions.json")
    assert "redirects more than 5 times" in refusal(f"{server.url}/packs")


def endless(request: BaseHTTPRequestHandler) -> None:
    request.send_response(200)
    request.end_headers()
    try:
        while True:
            request.wfile.write(b" " * 65_536)
    except OSError:
        request.close_connection = True


BOMB = gzip.compress(b" " * 10**7)


def lies(length: int) -> Callable[[BaseHTTPRequestHandler], None]:
    return lambda request: say(request, 200, b"{}", {"Content-Length": str(length)})


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (endless, "the answer is longer than 8,000,000 bytes"),
        (lies(10**13), "the answer is longer than 8,000,000 bytes"),
        (
            lambda request: say(request, 200, gzip.compress(b" " * 10**7), {"Content-Encoding": "gzip"}),
            "is longer than",
        ),
        (lambda request: say(request, 500, b"x"), "status 500"),
        (lambda request: say(request, 403, b"x"), "status 403; it denies access"),
        (lambda request: say(request, 200, b"<html>"), "is not a list of releases: not JSON"),
        (lambda request: say(request, 200, b"[" * 100_000), "is not a list of releases: nested deeper"),
    ],
)
def test_a_hostile_answer_is_one_line(
    server: FileServer, answer: Callable[[BaseHTTPRequestHandler], None], why: str
) -> None:
    server.files["/packs/versions.json"] = answer
    assert why in refusal(f"{server.url}/packs")


def test_a_body_that_ends_too_early_is_refused(server: FileServer, monkeypatch: pytest.MonkeyPatch) -> None:
    def stops(request: BaseHTTPRequestHandler) -> None:
        lies(100)(request)
        request.close_connection = True

    server.files["/packs/versions.json"] = stops
    assert "the server hung up" in refusal(f"{server.url}/packs")


def test_a_server_that_says_nothing_is_left(server: FileServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web, "TIMEOUT", 0.05)
    import threading

    ended = threading.Event()
    server.files["/packs/versions.json"] = lambda request: ended.wait(60)
    assert "can't be fetched: Timeout" in refusal(f"{server.url}/packs")
    ended.set()


def listed(**changes: Any) -> bytes:
    release = {"entry": "a.yaml", "files": {"a.yaml": "0" * 64}, **changes}
    return json.dumps({"format": 1, "packs": {"close": {"1.0.0": release}}}).encode()


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (listed(files={"../a.yaml": "0" * 64}, entry="../a.yaml"), "it leads outside its folder"),
        (listed(files={"/etc/passwd": "0" * 64}, entry="/etc/passwd"), "it leads outside its folder"),
        (listed(files={"a.yaml": "0" * 64, "A.yaml": "0" * 64}), "are one file on systems that ignore case"),
        (listed(files={"NUL": "0" * 64}, entry="NUL"), "is a name that Windows reserves"),
        (listed(files={"a\0b": "0" * 64}, entry="a\0b"), "has a character that some systems refuse"),
        (listed(files={"a.yaml": "0" * 63}), "has no SHA-256"),
        (listed(files={"a.yaml": 1}), "has no SHA-256"),
        (listed(entry="b.yaml"), "which is not one of its files"),
        (listed(yanked=True), "has an unknown key `yanked`"),
        (listed(files={f"{n}.yaml": "0" * 64 for n in range(200)}, entry="1.yaml"), "has more than 100 files"),
        (json.dumps({"format": 2, "packs": {}}).encode(), "format 2 is unknown; it needs a newer scoring"),
        (json.dumps({"format": 1, "packs": {}, "more": 1}).encode(), "the key `more` is unknown"),
        (b'{"format": 1, "packs": {"a": {"newest": {"entry": "a", "files": {"a": ""}}}}}', "`newest` is not a version"),
        (b'{"format": 1, "format": 1, "packs": {}}', "appears twice"),
        (b"[]", "is not a list of releases"),
        (b'{"format": 1, "packs": []}', "is not a list of releases"),
        (b"null", "is not a list of releases"),
    ],
)  # fmt: skip
def test_a_hostile_list_of_releases_is_one_line(content: bytes, why: str) -> None:
    with pytest.raises(InputError) as raised:
        read_versions(content, "here/versions.json")
    assert why in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    "address",
    [
        "https://me:secret@host/x", "https://secret@host/x", "s3://key:secret@bucket/x", "https://host/x?token=secret",
        "https://host/x#secret", "zip://a::https://host/secret.zip", "simplecache::s3://b/secret", "local://secret",
        "https://host/../secret", "https://host/%2e%2e/secret", "file:///a/../secret", "https:///secret?", "data://,secret",
        "s3://b/a\0secret", "-s3://secret", "s3://bucket/../secret",
        "git:///home/me/secret:HEAD@pack.yaml", "dir:///secret", "asynclocal:///secret", "libarchive:///secret.zip/x",
    ],
)  # fmt: skip
def test_an_address_holds_no_credential_and_leads_where_it_says(address: str) -> None:
    with pytest.raises(InputError):
        store_address(address)


@pytest.mark.parametrize(
    "address",
    [
        "https://me:hunter2@host/x", "s3://key:hunter2@b/x", "https://host/x?token=hunter2", "https://host/x#hunter2",
        "s3://bucket/x#hunter2", "https://host/x?a=b#hunter2",
    ],
)  # fmt: skip
def test_a_credential_in_an_address_is_not_repeated(address: str) -> None:
    with pytest.raises(InputError, match="holds a") as raised:
        store_address(address)
    assert "hunter2" not in str(raised.value)


def test_what_looks_like_a_user_is_none_in_an_address_of_a_forge() -> None:
    assert store_address("github://owner:repository@v1/packs") == "github://owner:repository@v1/packs"


def test_a_link_in_a_folder_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "versions.json").symlink_to("/etc/passwd")
    assert "is a symbolic link" in refusal(f"file://{tmp_path}")


def test_a_store_that_fails_says_nothing_of_its_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    class Store:
        def info(self, path: str) -> None:
            raise PermissionError("key hunter2-secret is not known; Authorization: Bearer abcdef")

    fsspec.config.conf["memory"] = {"secret": "hunter2-secret"}
    monkeypatch.setattr("scoring.extensions.remote_files.stores.filesystem", lambda name: (Store(), name))
    try:
        said = refusal("memory://x/packs")
    finally:
        del fsspec.config.conf["memory"]
    assert "can't be fetched: PermissionError" in said
    assert "hunter2" not in said
    assert "abcdef" not in said


def test_many_files_are_not_fetched_without_end(server: FileServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_CONTENT", 100)
    server.files |= BOTH
    assert "more than 100 bytes would have to be fetched" in refusal(f"{server.url}/packs")
