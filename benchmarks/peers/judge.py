"""Ask a judge about each record with http.client in threads, without a cache or a check; prints the share of "yes".

python benchmarks/peers/judge.py FOLDER WORKERS
"""

from __future__ import annotations

import http.client
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any


def main(folder: Path, workers: int) -> None:
    """Ask about all records."""
    host = (folder / "url").read_text().split("/")[2]
    idle: list[http.client.HTTPConnection] = []

    def ask(line: str) -> bool:
        record: dict[str, Any] = json.loads(line)
        said = f"Do the two answers mean the same?\n{record['response']}\n{record['reference']}"
        body = json.dumps({"model": "m", "messages": [{"role": "user", "content": said}], "temperature": 0.0})
        connection = idle.pop() if idle else http.client.HTTPConnection(host, timeout=60)
        connection.request("POST", "/v1/chat/completions", body, {"Content-Type": "application/json"})
        answer = json.loads(connection.getresponse().read())
        idle.append(connection)
        verdict: str = json.loads(answer["choices"][0]["message"]["content"])["verdicts"][0]
        return verdict == "yes"

    with (folder / "records.jsonl").open() as lines, ThreadPoolExecutor(workers) as pool:
        found = list(pool.map(ask, lines))
    for connection in idle:
        connection.close()
    print(json.dumps([sum(found) / len(found)]))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
