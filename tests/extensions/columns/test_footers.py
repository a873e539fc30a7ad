"""A Parquet file whose footer ends whoever asks it is refused, and ends nobody."""

from __future__ import annotations

import base64
import zlib
from pathlib import Path

import pytest

import scoring

#: A small file of three records, found by fuzzing: the sizes of a column of its second group contradict the schema, for
#: which pyarrow ends the process that asks.
ABORTS = """
eNq1ls1vG0UUwGfGm/XGdY0TZUa7kgErakcBnCZ27CitAs04H02KW4xV0uCb7S5OhB07tmkKB8ShQgjlgCoOyOLACdEbfwBSD60Qqjhw4MAJVagn
Dqh/Am9mvfHHblpyYOTMzs6893ufnjgvCkmqUZPGcvBAkwiFEwQhdJBUc4oiOklZAs6iVKd6bBHNkIOUSQ6SExMgMB6XYhrGAQIil+hbLuXlZhAO
Ort2vFLqRGCZL7X22on4Rqu0X7FDPthgT9iMDIv62Jmm3LUzsRKAA1DTlY1p0PRhByRXd459eHF6zuVFl5EaxorzfHJ5FGcaroS7enKZoRmfXR9L
U9R0LYXOYTgoyakMNsCHBPB7LpMZXDZxSRGiy5IQIDLQwKvIAcVoPEeJAkXSIThJzafSs/NJ+HjiJzOh/qk5sB5wMEAwQaASplGXq0+pFlhweWSw
BRagBRYG9Ak+QT+d8tNPQwulU/+DfpROufpGzCnEswejBLdEzx70V/0SDu76WAjRiGthLOpW7xU6PeSgrF5ZKb+0pJSRmgMnBPnwvl+QD++b8Od1
wfo2g0y9Xdm16yUaRjR8nphk79Z5lJMRq1ejZbebjf22Pbg53rI/sFs2fKnc3RDsjtXs23YNZYipdUrVNnig5+SXIKOZWm2v3aHE0Q7aNbtu73cG
iaTkvjLdSlg1jmI0bGWQHrWkR5Qwjd3F7AjzFW4M3x2WbFAk4QhCJmiZGZZucaQBbBBzHImC/YLZb5j/g/nX+AV3hpf/ui+/nxRl4BvMvsP8+wB/
SnwuDi90cgga6kGdnCrgr5j9jvkjjd/VTnd1eGy95uP+kqqZqpNbH7Cqsy8xu4f5kc7/GBu8TLz+axbXiLUB7TmaGKitCuAHzH6EjAT53y+4Srzw
KZkcIjuX/RVkGjfYPQP5dQlhd9hnmP9s8K4xfL94oCrf5DlN4rLGeXd8+K7wi96PNtQSLi7Eu6HT4TzNQNhPmD3C/PEZ3j1zukvIvxnIf2kGwj5l
n2P+xVn+Z3jwavK6T6BYCHoBeTLi9EIvFV9F+NOzwxfU81LBujojUFf2WEdWzAyLQuGdm5ec28s80ubkSIusEOJd4Yy3hTgU2arYEKIqVqtqLwsC
1+RiVYgttdF/wnhfTg1JWJSrnFRaXVdLde6gpSnFKqjX9/r6oocG0g7I5tfemJtb+tCVX8sq/Upffn1Yf7OwW1xQ7onNPCgl12BaknIbSjJbPVYS
x/5km7eubHcc3A2Qv5h27Yk7YsSeGhtyKl/ZThVvqvxsybgdNIzqamMkvlH9q2qzvl0v7lytlevXaypp0t+LN0b8PRzxVxrJflzcuX5YTmU+Kap0
rF2T9tZVHqrSj01ZNxXcsdGT4t9S8Rcd/9Z79XkTmfFmqXXwkd2ZrTSbs6VWq3EYv2232nuN/Xhq8cL8haRVg/82Ix9E4bdmHn7I/guImLBu
"""


def test_what_would_end_the_process_is_an_input_error(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    path.write_bytes(zlib.decompress(base64.b64decode(ABORTS)))
    task = scoring.load({"kind": "task", "name": "t", "score": "equal"})
    for processes in (1, 2):
        with pytest.raises(scoring.InputError, match="its reader fails on its metadata"):
            task.evaluate(path, processes=processes)
