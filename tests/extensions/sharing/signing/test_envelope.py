"""Signatures are those of OpenSSH, written in one way alone, and fit what they were made for and nothing else."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.extensions.sharing.signing.author_key import AuthorKey
from scoring.extensions.sharing.signing.check import answer
from scoring.extensions.sharing.signing.envelope import BadSignature, Envelope, sign_statement
from scoring.extensions.sharing.signing.statement import Statement
from scoring.extensions.sharing.signing.trust import Trust, TrustedKey
from tests.extensions.sharing.signing.keys import private_key, public_key

RELEASE = Statement("pack", "close", "1.0.0", "ab" * 32)
# Written by `ssh-keygen -Y sign -n scoring-pack` of OpenSSH 9.2, of the words of RELEASE, with the key of seed 0.
OF_OPENSSH = """-----BEGIN SSH SIGNATURE-----
U1NIU0lHAAAAAQAAADMAAAALc3NoLWVkMjU1MTkAAAAgA6EHv/POEL4dcN0Y50vAmWfk1j
CbpQ1fHdyGZBJVMbgAAAAMc2NvcmluZy1wYWNrAAAAAAAAAAZzaGE1MTIAAABTAAAAC3Nz
aC1lZDI1NTE5AAAAQB0QzoptHialCpRgJN1xYl2CVl7PWgIG9xmhsKbtgSeQhq72fJFCqU
eP2YcqzKp9qhccFRJbLJ53JV/mRt3tJQc=
-----END SSH SIGNATURE-----
"""
TRUST = Trust((TrustedKey("ann", public_key()),))


def state(content: str | bytes, statement: Statement = RELEASE, trust: Trust = TRUST) -> str:
    held = content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass")
    return answer(held, statement, trust).state


def blob_of(text: str) -> bytes:
    return base64.b64decode("".join(text.split("\n")[1:-2]))


def armoured(blob: bytes) -> str:
    written = base64.b64encode(blob).decode()
    lines = [written[at : at + 70] for at in range(0, len(written), 70)]
    return "\n".join(["-----BEGIN SSH SIGNATURE-----", *lines, "-----END SSH SIGNATURE-----", ""])


def test_a_signature_is_the_one_that_openssh_writes() -> None:
    assert sign_statement(RELEASE, private_key()).text() == OF_OPENSSH


def test_a_signature_of_openssh_is_read() -> None:
    assert state(OF_OPENSSH) == "signed"
    assert Envelope.read(OF_OPENSSH.encode()).key == public_key()


@pytest.mark.parametrize(
    "other",
    [
        Statement("pack", "close", "1.0.1", "ab" * 32),
        Statement("pack", "closer", "1.0.0", "ab" * 32),
        Statement("pack", "close", "1.0.0", "ac" * 32),
        Statement("run", "close", "1.0.0", "ab" * 32),
        Statement("bundle", "close", "1.0.0", "ab" * 32),
    ],
)
def test_a_signature_of_one_thing_is_none_of_another(other: Statement) -> None:
    assert state(OF_OPENSSH, other) == "broken"
    assert state(sign_statement(other, private_key()).text()) == "broken"


def test_no_words_can_be_read_as_others() -> None:
    for name in ("close\nversion: 2.0.0", "", "a\u2028b", "x" * 1001, "\ud800"):
        with pytest.raises(ValueError, match="on one line"):
            Statement("pack", name, "1.0.0", "ab" * 32)
    for digest in ("AB" * 32, "ab" * 31, "ab" * 32 + "\n"):
        with pytest.raises(ValueError, match="SHA-256"):
            Statement("pack", "close", "1.0.0", digest)


@pytest.mark.property
@given(at=st.integers(0, len(OF_OPENSSH) - 1), by=st.integers(1, 127))
def test_no_changed_character_of_a_signature_is_let_through(at: int, by: int) -> None:
    changed = OF_OPENSSH[:at] + chr((ord(OF_OPENSSH[at]) + by) % 128) + OF_OPENSSH[at + 1 :]
    assert state(changed) == "broken"


@pytest.mark.property
@given(at=st.integers(0, len(blob_of(OF_OPENSSH)) - 1), by=st.integers(1, 255))
def test_no_changed_byte_inside_is_let_through(at: int, by: int) -> None:
    blob = bytearray(blob_of(OF_OPENSSH))
    blob[at] = (blob[at] + by) % 256
    assert state(armoured(bytes(blob))) == "broken"


@pytest.mark.property
@given(st.binary(max_size=400))
def test_garbage_is_no_signature(content: bytes) -> None:
    assert state(content) == "broken"
    assert state(armoured(content)) == "broken"


@pytest.mark.property
@given(cut=st.integers(0, 176), more=st.binary(max_size=8))
def test_a_signature_has_neither_less_nor_more(cut: int, more: bytes) -> None:
    blob = blob_of(OF_OPENSSH)
    assert len(blob) == 182
    assert state(armoured(blob[:cut] + more)) == "broken"
    assert state(armoured(blob + b"\0" + more)) == "broken"


@pytest.mark.parametrize(
    "changed",
    [
        OF_OPENSSH + "\n",
        "\n" + OF_OPENSSH,
        OF_OPENSSH.replace("\n", "\r\n"),
        OF_OPENSSH + OF_OPENSSH,
        OF_OPENSSH.rstrip("\n"),
        OF_OPENSSH.replace("U1NIU0lH", "U1NI\nU0lH"),
        OF_OPENSSH + "x" * 10_000,
        "",
    ],
)
def test_a_signature_is_written_in_one_way_alone(changed: str) -> None:
    assert state(changed) == "broken"


def test_the_other_half_of_a_signature_is_refused() -> None:
    """S and S plus the order of the group fit one equation; only the lesser one is a signature."""
    envelope = Envelope.read(OF_OPENSSH.encode())
    order = 2**252 + 27742317777372353535851937790883648493
    s = int.from_bytes(envelope.signature[32:], "little") + order
    twin = Envelope(envelope.key, envelope.namespace, envelope.signature[:32] + s.to_bytes(32, "little"))
    assert state(twin.text()) == "broken"


@pytest.mark.parametrize("y", [0, 1, 2**255 - 20, 2**255 - 19, 2**255 - 18, 2**255 - 1])
@pytest.mark.parametrize("sign", [0, 1])
def test_keys_with_which_anything_is_signed_are_none(y: int, sign: int) -> None:
    with pytest.raises(ValueError, match="prove nothing"):
        AuthorKey((y | sign << 255).to_bytes(32, "little"))
    weak = blob_of(OF_OPENSSH).replace(public_key().raw, (y | sign << 255).to_bytes(32, "little"))
    assert state(armoured(weak)) == "broken"


def test_a_key_of_another_kind_is_refused() -> None:
    blob = blob_of(OF_OPENSSH).replace(b"ssh-ed25519", b"ssh-ed25518")
    with pytest.raises(BadSignature, match="ssh-ed25519"):
        Envelope.read(armoured(blob).encode())


def test_the_author_of_a_signature_is_told_from_a_stranger() -> None:
    by_another = sign_statement(RELEASE, private_key(1)).text()
    assert state(by_another) == "unknown"
    only = Trust((TrustedKey("ann", public_key(), packs=("acme-*",)),))
    assert state(OF_OPENSSH, trust=only) == "untrusted"
    assert answer(None, RELEASE, TRUST).state == "none"
    found = answer(OF_OPENSSH.encode(), RELEASE, TRUST)
    assert str(found) == f"signed by ann ({public_key().fingerprint})"
