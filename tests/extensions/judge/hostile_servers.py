"""Servers that speak HTTP, TLS and JSON oddly, badly, slowly or with malice, as data: what each does, and its end.

A script is what is sent to every request, or a function that does anything with the connection. What must come of it is
a score for every record, or a reason for every record with certain words in it.
"""

from __future__ import annotations

import contextlib
import gzip
import json
import socket
import struct
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

SECRET = "sk-very-secret-value"

Script = bytes | Callable[[socket.socket, threading.Event], None]


@dataclass(frozen=True)
class Server:
    """A server.

    Args:
        name: What it does.
        script: Sent to every request, or what is done with a connection.
        says: Words of the reason that every record has; none where every record is scored.
        timeout: Seconds that any step of a call may wait.
        scheme: How it is addressed.
    """

    name: str
    script: Script
    says: str = ""
    timeout: float = 120.0
    scheme: str = "http"


def completion(content: object = "9", **more: object) -> bytes:
    return json.dumps({"choices": [{"message": {"content": content}, "finish_reason": "stop"}], **more}).encode()


def choice(**parts: object) -> bytes:
    return json.dumps({"choices": [parts]}).encode()


def ok(body: bytes, *headers: str, status: str = "200 OK") -> bytes:
    lines = [f"HTTP/1.1 {status}", *headers, f"Content-Length: {len(body)}", "", ""]
    return "\r\n".join(lines).encode() + body


def plain(*headers: bytes, body: bytes = b"") -> bytes:
    """An answer whose length only its headers say."""
    return b"\r\n".join([b"HTTP/1.1 200 OK", *headers, b"", b""]) + body


def chunked(*pieces: bytes, end: bytes = b"0\r\n\r\n", headers: bytes = b"") -> bytes:
    body = b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces)
    return b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n" + headers + b"\r\n" + body + end


def usage(tokens: str) -> bytes:
    """An answer with a number of tokens as it is written here."""
    return ok(completion(usage={"prompt_tokens": 7, "completion_tokens": 8}).replace(b"7", tokens.encode()))


def later(after: str) -> bytes:
    return ok(b"{}", f"Retry-After: {after}", status="503 Later")


def deflated(body: bytes) -> bytes:
    raw = zlib.compressobj(wbits=-15)
    return raw.compress(body) + raw.flush()


@contextmanager
def listening(script: Script, *, linger: bool = False) -> Iterator[str]:
    """The place of a server that answers every request with the script; one that lingers does so on one connection."""
    over = threading.Event()

    def serve(connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError):
            if callable(script):
                script(connection, over)
                return
            while connection.recv(1 << 16) and not over.is_set():
                connection.sendall(script)
                if not linger:
                    return

    def accept() -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = listener.accept()
                threading.Thread(target=serve, args=(connection,), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=accept, daemon=True).start()
        try:
            yield f"127.0.0.1:{listener.getsockname()[1]}"
        finally:
            over.set()
            listener.shutdown(socket.SHUT_RDWR)


def drips(script: bytes, pause: float = 0.02) -> Script:
    def serve(connection: socket.socket, over: threading.Event) -> None:
        connection.recv(1 << 16)
        for place in range(len(script)):
            connection.sendall(script[place : place + 1])
            if over.wait(pause):
                return

    return serve


def silent(connection: socket.socket, over: threading.Event) -> None:
    connection.recv(1 << 16)
    over.wait()


def at_once(script: bytes) -> Script:
    """Says something before it is asked, and nothing after that."""

    def serve(connection: socket.socket, over: threading.Event) -> None:
        connection.sendall(script)
        connection.recv(1 << 16)

    return serve


def flood(start: bytes, more: bytes) -> Script:
    def serve(connection: socket.socket, over: threading.Event) -> None:
        connection.recv(1 << 16)
        connection.sendall(start)
        while not over.is_set():
            connection.sendall(more)

    return serve


def resets(script: bytes) -> Script:
    def serve(connection: socket.socket, over: threading.Event) -> None:
        connection.recv(1 << 16)
        connection.sendall(script)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    return serve


def kept(script: bytes) -> Script:
    """Answers on one connection for as long as there are questions."""

    def serve(connection: socket.socket, over: threading.Event) -> None:
        while connection.recv(1 << 16):
            connection.sendall(script)

    return serve


YES = completion()
SLOW = 0.05

ODD = [
    Server("plain", ok(YES)),
    Server("chunked", chunked(YES[:7], YES[7:])),
    Server("chunks of one byte", chunked(*(bytes([byte]) for byte in YES))),
    Server("chunk extensions and trailers", chunked(YES, end=b"0;a=b\r\nX-Sum: 1\r\n\r\n")),
    Server("until the end", b"HTTP/1.1 200 OK\r\n\r\n" + YES),
    Server("of the old protocol", b"HTTP/1.0 200 OK\r\n\r\n" + YES),
    Server("without a reason phrase", ok(YES, status="200")),
    Server("a key in the reason phrase", ok(YES, status=f"200 {SECRET}")),
    Server("with bare line feeds", ok(YES).replace(b"\r\n", b"\n")),
    Server("after going on", b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nLink: x\r\n\r\n" + ok(YES)),
    Server("packed once, unasked", ok(gzip.compress(YES), "Content-Encoding: gzip")),
    Server("packed in chunks", chunked(gzip.compress(YES), headers=b"Content-Encoding: gzip\r\n")),
    Server("deflated, unasked", ok(zlib.compress(YES), "Content-Encoding: deflate")),
    Server("packed not at all, in words", ok(YES, "Content-Encoding: identity")),
    Server("headers in capitals", ok(YES).replace(b"Content-Length", b"CONTENT-LENGTH")),
    Server("a header of many spaces", ok(YES, "X: y" + " " * 60_000 + "z")),
    Server("many headers", ok(YES, *(f"X-{number}: y" for number in range(500)))),
    Server("a header that has the key", ok(YES, f"X-Echo: Bearer {SECRET}")),
    Server("a wish to be asked elsewhere next time", ok(YES, "Refresh: 0; url=http://127.0.0.1:9/", "Alt-Svc: h3=x:9")),
    Server("cookies", ok(YES, "Set-Cookie: a=b; Domain=.")),
    Server("an answer before the question", at_once(ok(YES))),
    Server("a drip that comes to an end", drips(ok(YES), pause=0.0)),
    Server("more behind the answer", kept(ok(YES) + b"and more")),
    Server("another answer behind the answer", kept(ok(YES) + ok(completion("0")))),
    Server("another answer behind the chunks", kept(chunked(YES) + ok(completion("0")))),
    Server("a body behind a status without one", kept(b"HTTP/1.1 100 Go\r\n\r\n" + ok(YES) + ok(completion("0")))),
    Server("usage of 31 digits", usage("1" + "0" * 31)),
    Server("usage of 4,000 digits", usage("7" * 4_000)),
    Server("usage of 9,000 digits", usage("7" * 9_000)),
    Server("usage of a million digits", usage("7" * 1_000_000)),
    Server("usage below zero", usage("-5")),
    Server("usage in parts", usage("1.5e3")),
    Server("usage beyond all numbers", usage("1e999")),
    Server("an endless count", usage("Infinity")),
    Server("a count that is none", usage("NaN")),
    Server("a yes for a count", usage("true")),
    Server("nothing for a count", usage("null")),
    Server("a list for a count", usage("[7]")),
    Server("usage in texts", ok(completion(usage={"prompt_tokens": "12"}))),
    Server("usage that is no mapping", ok(completion(usage=[1]))),
    Server("usage twice", ok(completion(usage=0).replace(b'"usage": 0', b'"usage": {"prompt_tokens": 1}, "usage": 5'))),
    Server("a cost beyond all numbers", ok(completion(cost=0, total=0).replace(b": 0", b": 1e999"))),
    Server("a lone surrogate for a model", ok(completion(model="\ud800"))),
    Server("a model that steers terminals", ok(completion(model="\x1b]0;x\x07\x1b[2J\u202e\0\r\n"))),
    Server("a mapping for a model", ok(completion(model={"a": [1] * 10_000}))),
    Server("a megabyte for a model", ok(completion(model="m" * 1_000_000))),
    Server("a key at the end of a long model", ok(completion(model="x" * 985 + SECRET))),
    Server("a megabyte of why it ended", ok(choice(message={"content": "9"}, finish_reason="x" * 1_000_000))),
    Server("a list of why it ended", ok(choice(message={"content": "9"}, finish_reason=["stop"] * 99))),
    Server("a key as why it ended", ok(choice(message={"content": "9"}, finish_reason=SECRET))),
    Server("choices twice", ok(b'{"choices": 5, ' + YES[1:])),
    Server("chances of each word, with the key", ok(completion(logprobs={"content": [{"token": SECRET}]}))),
    Server("a byte order mark", ok(b"\xef\xbb\xbf" + YES)),
    Server("another encoding", ok(YES.decode().encode("utf-16"), "Content-Type: application/json; charset=utf-16")),
    Server("an encoding that is none", ok(YES, "Content-Type: application/json; charset=rot13")),
    Server("the key beside the answer", ok(completion(f"9 {SECRET}"))),
    Server("controls beside the answer", ok(completion("\x1b[J\0\u202e9\r"))),
    Server("a lone surrogate beside the answer", ok(completion("9 \ud800"))),
]  # fmt: skip

BAD = [
    Server("nothing", b"", "hung up"),
    Server("a reset at once", resets(b""), "Connection reset by peer"),
    Server("a reset in the head", resets(b"HTTP/1.1 200 OK\r\nConte"), "Connection reset by peer"),
    Server("a reset in the body", resets(ok(YES)[:-5]), "Connection reset by peer"),
    Server("half a head", b"HTTP/1.1 200 OK\r\nContent-Le", "hung up"),
    Server("half a body", ok(YES)[:-5], "hung up"),
    Server("half a chunk", chunked(YES, end=b"")[:-9], "hung up"),
    Server("no last chunk", chunked(YES, end=b""), "hung up"),
    Server("bare carriage returns", ok(YES).replace(b"\r\n", b"\r"), "hung up"),
    Server("chunks with bare line feeds", chunked(YES).replace(b"\r\n", b"\n"), "hung up"),
    Server("no protocol", b"hello\r\n\r\n", "no HTTP/1.1"),
    Server("the oldest protocol", YES + b"\n\n", "no HTTP/1.1"),
    Server("another protocol", b"SSH-2.0-OpenSSH_9.6\r\n\r\n", "no HTTP/1.1"),
    Server("a radio", b"ICY 200 OK\r\n\r\n" + YES, "no HTTP/1.1"),
    Server("a version to come", b"HTTP/2 200 OK\r\n\r\n", "no HTTP/1.1"),
    Server("a preface of the next protocol", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "no HTTP/1.1"),
    Server("frames of the next protocol", b"\0\0\x12\4\0\0\0\0\0" + bytes(18) + b"\n\n", "no HTTP/1.1"),
    Server("a status of four digits", b"HTTP/1.1 2000 OK\r\n\r\n", "no HTTP/1.1"),
    Server("a status below zero", b"HTTP/1.1 -20 OK\r\n\r\n", "no HTTP/1.1"),
    Server("a status that is none", b"HTTP/1.1 999 What\r\nContent-Length: 0\r\n\r\n", "refuses the request (999)"),
    Server("a status of nothing", b"HTTP/1.1 000 Nothing\r\n\r\n" * 9, "no HTTP/1.1"),
    Server("a header without a colon", b"HTTP/1.1 200 OK\r\nnone\r\n\r\n", "no HTTP/1.1"),
    Server("a header without a name", plain(b": x"), "no HTTP/1.1"),
    Server("a folded header", b"HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r\n", "not a completion"),
    Server("a space before the colon", plain(b"Content-Length : 3", body=b"abc"), "no HTTP/1.1"),
    Server("a zero byte in a header", plain(b"A: b\0c"), "no HTTP/1.1"),
    Server("a zero byte in a name", plain(b"A\0: b"), "no HTTP/1.1"),
    Server("a carriage return in a header", plain(b"A: b\rContent-Length: 3", body=b"abc"), "no HTTP/1.1"),
    Server("a head of megabytes", b"HTTP/1.1 200 OK\r\nA: " + b"a" * 2_000_000, "head of the answer is too long"),
    Server("a header without end", flood(b"HTTP/1.1 200 OK\r\nA: ", b"a" * 65_536), "head of the answer is too long"),
    Server("headers without end", flood(b"HTTP/1.1 200 OK\r\n", b"A: b\r\n" * 9_000), "head of the answer is too long"),
    Server("two lengths", plain(b"Content-Length: 3", b"Content-Length: 4", body=b"abcd"), "no HTTP/1.1"),
    Server("a length twice", plain(b"Content-Length: 3", b"Content-Length: 3", body=b"abc"), "not a completion"),
    Server("a list of lengths", plain(b"Content-Length: 3, 3", body=b"abc"), "not a completion"),
    Server("a negative length", plain(b"Content-Length: -1", body=b"abc"), "no HTTP/1.1"),
    Server("a length with a sign", plain(b"Content-Length: +3", body=b"abc"), "no HTTP/1.1"),
    Server("a length in words", plain(b"Content-Length: three", body=b"abc"), "no HTTP/1.1"),
    Server("a length in other digits", plain(b"Content-Length: \xb2", body=b"ab"), "no HTTP/1.1"),
    Server("no length at all, in words", plain(b"Content-Length:", body=b"ab"), "no HTTP/1.1"),
    Server("a length and chunks", chunked(YES, headers=b"Content-Length: 3\r\n"), "not clear"),
    Server("another transfer coding", chunked(YES).replace(b": chunked", b": gzip, chunked"), "no HTTP/1.1"),
    Server("chunks of chunks", chunked(YES).replace(b": chunked", b": chunked, chunked"), "no HTTP/1.1"),
    Server("chunks by another name", chunked(YES).replace(b": chunked", b": xchunked"), "no HTTP/1.1"),
    Server("chunks behind a vertical tab", chunked(YES).replace(b": chunked", b": \x0bchunked"), "no HTTP/1.1"),
    Server("a length of gigabytes", plain(b"Content-Length: 9999999999"), "longer than"),
    Server("a length of many digits", plain(b"Content-Length: " + b"9" * 5000), "no HTTP/1.1"),
    Server("a length of many noughts", plain(b"Content-Length: " + b"0" * 5000 + b"2", body=b"{}"), "no HTTP/1.1"),
    Server("an endless body", flood(b"HTTP/1.1 200 OK\r\n\r\n", b"x" * 65_536), "longer than"),
    Server("a text of megabytes", ok(completion("x" * 50_000_000)), "longer than"),
    Server("chunks without end", flood(chunked(end=b""), b"10000\r\n" + b"x" * 65_536 + b"\r\n"), "longer than"),
    Server("a chunk of gigabytes", chunked(end=b"ffffffff\r\n"), "hung up"),
    Server("a size of too many digits", chunked(end=b"fffffffff\r\n"), "hung up"),
    Server("a size that is none", chunked(end=b"0x10\r\n"), "no HTTP/1.1"),
    Server("a negative size", chunked(end=b"-5\r\n"), "no HTTP/1.1"),
    Server("a size behind a space", chunked(end=b" 5\r\nabcde\r\n0\r\n\r\n"), "no HTTP/1.1"),
    Server("a chunk beyond its size", chunked(end=b"3\r\nabcd\r\n0\r\n\r\n"), "no HTTP/1.1"),
    Server("a size line without end", chunked(end=b"1" + b";" * 200_000), "head of the answer is too long"),
    Server("hardly anything but sizes", flood(chunked(end=b""), b"1\r\n \r\n" * 9_000), "hardly anything but"),
    Server("hardly anything but remarks", flood(chunked(end=b""), b"1;" + b"a" * 9_000 + b"\r\n \r\n"),
           "hardly anything"),
    Server("trailers without end", flood(chunked(end=b"0\r\n"), b"A: b\r\n" * 9_000), "head of the answer is too long"),
    Server("promises", b"HTTP/1.1 100 Continue\r\n\r\n" * 50, "again and again"),
    Server("another protocol from here on", b"HTTP/1.1 101 Switching\r\nUpgrade: h2c\r\n\r\n" + b"\0" * 99,
           "no HTTP/1.1"),
    Server("packed twice", ok(gzip.compress(gzip.compress(YES)), "Content-Encoding: gzip, gzip"), "not asked for"),
    Server("packed twice, once in words", ok(gzip.compress(gzip.compress(YES)), "Content-Encoding: gzip"),
           "not a completion"),
    Server("packed in two headers", ok(b"x", "Content-Encoding: gzip", "Content-Encoding: gzip"), "not asked for"),
    Server("packed by a stranger", ok(YES, "Content-Encoding: br"), "not asked for"),
    Server("packed by another stranger", ok(YES, "Content-Encoding: zstd"), "not asked for"),
    Server("packed as long ago", ok(YES, "Content-Encoding: compress"), "not asked for"),
    Server("packed badly", ok(b"not gzip", "Content-Encoding: gzip"), "can't be unpacked"),
    Server("packed and cut", ok(gzip.compress(YES)[:-9], "Content-Encoding: gzip"), "can't be unpacked"),
    Server("packed with a wrong sum", ok(gzip.compress(YES)[:-8] + bytes(8), "Content-Encoding: gzip"),
           "can't be unpacked"),
    Server("packed in members", ok(gzip.compress(YES[:9]) + gzip.compress(YES[9:]), "Content-Encoding: gzip"),
           "unpacked"),
    Server("packed, and more behind it", ok(gzip.compress(YES) + b"more", "Content-Encoding: gzip"),
           "can't be unpacked"),
    Server("deflated without a frame", ok(deflated(YES), "Content-Encoding: deflate"), "can't be unpacked"),
    Server("a bomb", ok(gzip.compress(b"x" * 50_000_000), "Content-Encoding: gzip"), "longer than"),
    Server("a bomb in chunks", chunked(zlib.compress(bytes(50_000_000)), headers=b"Content-Encoding: deflate\r\n"),
           "longer"),
    Server("packed nothing", ok(gzip.compress(b""), "Content-Encoding: gzip"), "not a completion"),
    Server("packed nothing again and again", flood(plain(b"Content-Encoding: gzip"), gzip.compress(b"") * 999),
           "longer"),
    Server("an empty body", ok(b""), "not a completion"),
    Server("a page", ok(b"<html>Welcome</html>", "Content-Type: text/html"), "not a completion"),
    Server("a stream of events", ok(b"data: " + YES + b"\n\ndata: [DONE]\n\n"), "not a completion"),
    Server("two documents", ok(YES + YES), "not a completion"),
    Server("deep JSON", ok(b"[" * 1_000_000), "not a completion"),
    Server("deep and closed JSON", ok(b"[" * 100_000 + b"]" * 100_000), "not a completion"),
    Server("deep mappings", ok(b'{"a":' * 100_000 + b"1" + b"}" * 100_000), "not a completion"),
    Server("a deep model", ok(completion(model=0).replace(b": 0", b": " + b"[" * 9_000 + b"]" * 9_000)),
           "not a completion"),
    Server("millions of mappings", ok(b"[" + b"{}," * 2_000_000 + b"{}]"), "not a completion"),
    Server("a text for a message", ok(b'{"choices": [{"message": "yes"}]}'), "not a completion"),
    Server("no choices", ok(b'{"id": 1}'), "not a completion"),
    Server("nothing for choices", ok(b'{"choices": null}'), "not a completion"),
    Server("no choice among the choices", ok(b'{"choices": []}'), "not a completion"),
    Server("a mapping for choices", ok(b'{"choices": {}}'), "not a completion"),
    Server("a text for choices", ok(b'{"choices": "9"}'), "not a completion"),
    Server("a number for choices", ok(b'{"choices": 5}'), "not a completion"),
    Server("nothing for a message", ok(choice(message=None)), "not a completion"),
    Server("a list in a list", ok(b'[[["choices"]]]'), "not a completion"),
    Server("a number for a content", ok(completion(9)), "not a completion"),
    Server("parts for a content", ok(completion([{"type": "text", "text": "9"}])), "not a completion"),
    Server("a yes for a content", ok(completion(True)), "not a completion"),
    Server("an error in a success", ok(json.dumps({"error": {"message": SECRET}}).encode()), "not a completion"),
    Server("bytes that are no text", ok(b"\xff\xfe{}"), "not a completion"),
    Server("an overlong encoding", ok(YES.replace(b"9", b"\xc0\xb9")), "not a completion"),
    Server("a call of a tool", ok(choice(message={"content": None, "tool_calls": [{"id": "9"}]})), "no_integer"),
    Server("a refusal in a success", ok(choice(message={"content": "", "refusal": SECRET})), "no_integer"),
    Server("a number of many digits", ok(completion("7" * 5_000)), "out_of_range"),
    Server("a number out of bounds", ok(completion("99")), "out_of_range"),
    Server("a reply too long to be read", ok(completion("x" * 3_000_000)), "too_long"),
    Server("a reply that was cut", ok(choice(message={"content": "9"}, finish_reason="length")), "incomplete"),
    Server("a reply withheld", ok(choice(message={"content": "9"}, finish_reason="content_filter")), "incomplete"),
    Server("no content", b"HTTP/1.1 204 No Content\r\n\r\n", "refuses the request (204)"),
    Server("no content, and a body", kept(ok(YES, status="204 No Content")), "refuses the request (204)"),
    Server("nothing new, and a body", kept(ok(YES, status="304 Not Modified")), "refuses the request (304)"),
    Server("a redirect", ok(b"", "Location: http://127.0.0.1:9/", status="307 Elsewhere"), "(307)"),
    Server("a redirect for good", ok(b"", "Location: https://127.0.0.1:9/", status="308 Elsewhere"), "(308)"),
    Server("a redirect to a file", ok(b"", "Location: file:///etc/passwd", status="302 Found"), "(302)"),
    Server("a redirect to itself", ok(b"", "Location: /v1/chat/completions", status="301 Moved"), "(301)"),
    Server("a redirect with an answer", ok(YES, "Location: data:,9", status="303 See Other"), "(303)"),
    Server("a wish for a proxy", ok(b"", "Location: http://127.0.0.1:9/", status="305 Use Proxy"), "(305)"),
    Server("a proxy's wish for a key", ok(b"", "Proxy-Authenticate: Basic", status="407 Who"), "(407)"),
    Server("a wish for another key", ok(b"", "WWW-Authenticate: Basic realm=x", status="401 Who"), "(401)"),
    Server("later, in years", later("1000000000"), "status 503"),
    Server("later, in more digits than seconds", later("9" * 60_000), "status 503"),
    Server("later, before now", later("-1000000000"), "status 503"),
    Server("later, at no number", later("NaN"), "status 503"),
    Server("later, without end", later("inf"), "status 503"),
    Server("later, at the end of time", later("Fri, 31 Dec 9999 23:59:59 GMT"), "status 503"),
    Server("later, at the beginning of time", later("Mon, 01 Jan 0001 00:00:00 +2359"), "status 503"),
    Server("later, on a day that is none", later("Fri, 99 Foo 99999999999 99:99:99 +9999999"), "status 503"),
    Server("later, in words without end", later("Fri, " * 12_000), "status 503"),
    Server("too slow, said slowly", ok(b"x" * 9_000, "Retry-After: 5", status="408 Slow"), "status 408"),
    Server("too many, said with controls", ok(b"\x1b[2J\0\x07no\r\n\x1b]8;;", status="429 Many"),
           "status 429: [2J no ]8;;"),
    Server("a failure of megabytes", ok(b"no " * 2_000_000, status="500 Oh"), "status 500: no no"),
    Server("a deep failure", ok(b'{"error":' * 100_000, status="500 Oh"), "status 500"),
    Server("a failure of lists", ok(b'{"error": {"message": [[1, {"a": null}]]}}', status="500 Oh"), "status 500: [["),
    Server("encryption that is none", ok(YES), "ConnectError", scheme="https"),
    Server("an alert", at_once(b"\x15\x03\x03\x00\x02\x02\x28"), "ConnectError", scheme="https"),
    Server("a greeting of the oldest encryption", at_once(b"\x16\x03\x00\x00\x04\x02\0\0\0"), "ConnectError",
           scheme="https"),
]  # fmt: skip

STALLED = [
    Server("says nothing", silent, "Timeout", SLOW),
    Server("drips a header", drips(b"HTTP/1.1 200 OK\r\nA: " + b"a" * 60_000), "Timeout", SLOW),
    Server("drips headers", drips(b"HTTP/1.1 200 OK\r\n" + b"A:\n" * 20_000), "Timeout", SLOW),
    Server("drips a body", drips(ok(b"x" * 60_000)), "Timeout", SLOW),
    Server("drips a body without end", drips(b"HTTP/1.1 200 OK\r\n\r\n" + b" " * 60_000), "Timeout", SLOW),
    Server("drips chunks", drips(chunked(*[b"x"] * 60_000)), "Timeout", SLOW),
    Server("drips a remark", drips(chunked(end=b"1;" + b"x" * 60_000)), "Timeout", SLOW),
    Server("drips trailers", drips(chunked(YES, end=b"0\r\n" + b"A:\n" * 20_000)), "Timeout", SLOW),
    Server("drips promises", drips(b"HTTP/1.1 100 Continue\r\n\r\n" * 7 + b"H" * 60_000, 0.005), "Timeout", SLOW),
    Server("drips packed nothing", drips(plain(b"Content-Encoding: gzip", body=gzip.compress(b"") * 999)), "Timeout",
           SLOW),
    Server("stops in the middle", drips(ok(YES)[:-5] + b" " * 60_000, 60.0), "Timeout", SLOW),
    Server("says nothing, encrypted", silent, "Timeout", SLOW, "https"),
    Server("drips a greeting", drips(b"\x16\x03\x03\x40\x00\x02\0\x3f\xfc" + bytes(16_000)), "Timeout", SLOW, "https"),
]  # fmt: skip

SERVERS = [*ODD, *BAD, *STALLED]
