"""Answer each line, two texts as JSON, with their similarity whatever the case: the least that a worker does.

python benchmarks/peers/near.py
"""

from __future__ import annotations

import json
import sys

from rapidfuzz.distance import Levenshtein

if __name__ == "__main__":
    for line in sys.stdin.buffer:
        one, other = json.loads(line)
        print(Levenshtein.normalized_similarity(one.lower(), other.lower()), flush=True)
