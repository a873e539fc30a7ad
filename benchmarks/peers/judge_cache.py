"""Read a record and the cached reply of a judge, for each record, by hand; prints the share of "yes".

python benchmarks/peers/judge_cache.py FOLDER
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import sys
from pathlib import Path


def main(folder: Path) -> None:
    """Read as many replies as there are records, each by its key."""
    calls = sqlite3.connect(folder / "judge.db")
    keys = [key for (key,) in calls.execute("SELECT key FROM calls")]
    found = 0
    with (folder / "records.jsonl").open() as lines:
        for line, key in zip(lines, keys, strict=True):
            hashlib.sha256(json.dumps(json.loads(line), sort_keys=True).encode()).hexdigest()
            ((stored,),) = calls.execute("SELECT reply FROM calls WHERE key = ?", (key,))
            found += json.loads(json.loads(stored))["verdicts"][0] == "yes"
    print(json.dumps([found / len(keys)]))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
