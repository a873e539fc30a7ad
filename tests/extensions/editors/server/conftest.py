"""A server that all tests of the protocol speak to, since each takes three processes to start."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.extensions.editors.server.client import LspClient


@pytest.fixture(scope="package")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LspClient]:
    """A client of a running server, in a folder of its own."""
    pytest.importorskip("pygls", reason="the extra `lsp` is not installed")
    from tests.extensions.editors.server.client import LspClient

    with LspClient(Path(tmp_path_factory.mktemp("work")).resolve()) as found:
        yield found
