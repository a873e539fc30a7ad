"""The floor: the stack of the service, which reads a body of JSON, and writes it back."""

from __future__ import annotations

import asyncio
import json
import socket
import sys
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route

from scoring.extensions.serving.protocol import protocol_class


async def _echo(request: Any) -> Response:
    value = json.loads(await request.body())
    return Response(json.dumps(value).encode(), media_type="application/json")


def main() -> None:
    """Serve on the port that the command line names, until SIGTERM."""
    app = Starlette(routes=[Route("/score", _echo, methods=["POST"])])
    how = {"http": protocol_class(20_000), "lifespan": "off", "log_config": None, "access_log": False}
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.bind(("127.0.0.1", int(sys.argv[1])))
    listening.listen(4_096)
    sys.stdout.write("listening\n")
    sys.stdout.flush()
    asyncio.run(uvicorn.Server(uvicorn.Config(app, proxy_headers=False, **how)).serve(sockets=[listening]))


if __name__ == "__main__":
    main()
