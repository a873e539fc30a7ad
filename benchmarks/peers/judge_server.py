"""A judge that takes 50 ms and always says yes; it writes its address into a file.

python benchmarks/peers/judge_server.py FILE
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

DELAY = 0.05
REPLY = {"choices": [{"message": {"content": '{"verdicts": ["yes"]}'}, "finish_reason": "stop"}], "usage": {}}


class Judge(asyncio.Protocol):
    """Answers each request after a while, as cheaply as it can, so that the client is what is measured."""

    answer = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(json.dumps(REPLY)), json.dumps(REPLY).encode())

    def connection_made(self, transport: Any) -> None:
        """A new connection."""
        self.transport, self.read = transport, b""

    def data_received(self, data: bytes) -> None:
        """Some of a request, which may be the end of it."""
        self.read += data
        head, _, body = self.read.partition(b"\r\n\r\n")
        if len(body) < int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0] or b"1"):
            return
        self.read = b""
        asyncio.get_running_loop().call_later(DELAY, self.transport.write, self.answer)


async def serve(file: Path) -> None:
    """Serve until the process ends."""
    server = await asyncio.get_running_loop().create_server(Judge, "127.0.0.1", 0)
    file.write_text(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1")
    print("ready", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve(Path(sys.argv[1])))
