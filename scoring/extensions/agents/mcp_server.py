"""A server of the Model Context Protocol on standard input and output, whose tools run in a process apart."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import mcp.types as types
from mcp.server import Server, ServerRequestContext
from mcp.server.stdio import stdio_server

from scoring.diagnostics.visible import safe_line
from scoring.errors import InputError
from scoring.extensions.agents.guides import skill_text
from scoring.extensions.agents.inputs import MOST_REQUEST, TOOLS
from scoring.extensions.processes.child import ChildLost, ChildProcess
from scoring.extensions.processes.workers import IdleWorkers
from scoring.version import VERSION

SECONDS = 20.0
"""The seconds that a call of a tool may take."""
MEMORY = 1_000_000_000
"""The bytes of memory that a call may use in addition to what its process uses anyway."""
SKILL = "scoring://skill"
"""The address of the resource that tells how specs are written."""

_ABOUT = (
    "Write and check specs that say how answers of AI models are scored. Read the resource scoring://skill first; "
    "after each change call `check`, then `score` without records, which runs the examples of the spec."
)


class AgentTools:
    """The tools of a server, each call of which is answered by a child process that is confined to a folder.

    Args:
        folder: The folder below which files are read.
        seconds: The seconds that a call may take.
    """

    def __init__(self, folder: Path, seconds: float = SECONDS) -> None:
        self._folder, self._seconds = folder, seconds
        self._idle: IdleWorkers[ChildProcess] = IdleWorkers()
        self._running = threading.BoundedSemaphore(1)

    def __enter__(self) -> AgentTools:
        self._idle.give(self._started())
        return self

    def __exit__(self, *exception: object) -> None:
        self._idle.close()

    def call(self, name: str, inputs: dict[str, Any]) -> dict[str, Any]:
        """Return the answer of a tool as plain data; whatever goes wrong is its `error`."""
        try:
            if name not in TOOLS:
                raise InputError(f"there is no tool `{name[:60]}`; there are {', '.join(TOOLS)}")
            question = json.dumps({"name": name, "inputs": inputs})
            if len(question) > MOST_REQUEST:
                raise InputError(f"the inputs have {len(question):,} characters, and may have {MOST_REQUEST:,}")
            TOOLS[name].check(inputs)
            answer: dict[str, Any] = json.loads(self._asked(question.encode()))
        except (InputError, ChildLost, RecursionError) as error:
            return {"error": safe_line(str(error))}
        return answer

    def _asked(self, question: bytes) -> str:
        with self._running:
            process = self._idle.take(self._started)
            try:
                process.wait_until_ready()
                process.send([question])
                answer = str(process.answer(self._seconds, "no answer"))
            except BaseException:
                process.stop()
                raise
            self._idle.give(process)
            return answer

    def _started(self) -> ChildProcess:
        return ChildProcess("scoring.extensions.agents.answers:make_tools", str(self._folder), MEMORY)


def serve_stdio(folder: Path) -> None:
    """Serve the tools on standard input and output until the input ends."""
    with AgentTools(folder) as tools:
        anyio.run(_serve, tools)


async def _serve(tools: AgentTools) -> None:
    server = make_server(tools)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


def make_server(tools: AgentTools) -> Server[Any]:
    """Return the server of some tools, which also offers the skill as a resource."""

    async def list_tools(
        _: ServerRequestContext[Any], __: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        reads = types.ToolAnnotations(read_only_hint=True, open_world_hint=False, idempotent_hint=True)
        return types.ListToolsResult(
            tools=[
                types.Tool(name=one.name, description=one.doc, input_schema=one.schema(), annotations=reads)
                for one in TOOLS.values()
            ]
        )

    async def call_tool(_: ServerRequestContext[Any], asked: types.CallToolRequestParams) -> types.CallToolResult:
        answer = await anyio.to_thread.run_sync(tools.call, asked.name, asked.arguments or {})
        text = types.TextContent(type="text", text=json.dumps(answer, ensure_ascii=False))
        return types.CallToolResult(content=[text], structured_content=answer, is_error="error" in answer)

    async def list_resources(
        _: ServerRequestContext[Any], __: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        about = "How specs are written: keys, steps with their types, metrics, shapes, the loop."
        skill = types.Resource(uri=SKILL, name="skill", description=about, mime_type="text/markdown")
        return types.ListResourcesResult(resources=[skill])

    async def read_resource(
        _: ServerRequestContext[Any], asked: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        if str(asked.uri) != SKILL:
            raise ValueError(f"there is no resource {str(asked.uri)[:200]!r}; there is {SKILL}")
        page = types.TextResourceContents(uri=SKILL, mime_type="text/markdown", text=skill_text())
        return types.ReadResourceResult(contents=[page])

    return Server(
        "scoring",
        version=VERSION,
        instructions=_ABOUT,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_read_resource=read_resource,
    )
