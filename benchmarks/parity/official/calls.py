"""Programs of the Berkeley leaderboard of function calls, of queries by their rows, and of programs by their tests."""

from __future__ import annotations

import contextlib
import sqlite3
import tempfile
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from benchmarks.parity.code import Code
from benchmarks.parity.vectors import Answer, Row, official

GORILLA = "ShishirPatil/gorilla"
LEADERBOARD = "berkeley-function-call-leaderboard/bfcl_eval"


def _calls(category: str) -> Any:
    """Return what reads calls in Python and checks them; what can't be read is wrong."""

    def program(code: Code) -> Answer:
        kinds = code.names(GORILLA, f"{LEADERBOARD}/constants/enums.py")
        models = {"model": SimpleNamespace(underscore_to_dot=False)}
        given = {"Language": kinds.Language, "ReturnFormat": kinds.ReturnFormat, "MODEL_CONFIG_MAPPING": models}
        types = {"JAVA_TYPE_CONVERSION": {}, "JS_TYPE_CONVERSION": {}}
        checker = code.names(GORILLA, f"{LEADERBOARD}/eval_checker/ast_eval/ast_checker.py", **given, **types)
        reader = code.names(GORILLA, f"{LEADERBOARD}/model_handler/utils.py", **given)

        def answer(record: Row) -> Row:
            try:
                calls = reader.default_decode_ast_prompting(record["response"], kinds.ReturnFormat.PYTHON)
            except Exception:  # as the official runner has it
                return {"score": 0.0}
            asked = record["function"], calls, record["ground_truth"], kinds.Language.PYTHON, category, "model"
            return {"score": float(checker.ast_checker(*asked)["valid"])}

        return answer

    return program


official("bfcl-simple")(_calls("simple"))
official("bfcl-multiple")(_calls("multiple"))
official("bfcl-parallel")(_calls("parallel"))


@contextlib.contextmanager
def _database(script: str) -> Iterator[str]:
    """The path of a database that a script builds."""
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder, "one.sqlite"))
        with contextlib.closing(sqlite3.connect(path)) as database:
            database.executescript(script)
        yield path


@official("sql-execution")
def spider(code: Code) -> Answer:
    """Run the equality of results of the test suites, on one database."""
    repository, given = "taoyds/test-suite-sql-eval", {"sqlparse": import_module("sqlparse")}
    parsed = code.names(repository, "parse.py", **given)
    names = code.names(repository, "exec_eval.py", remove_distinct=parsed.remove_distinct)

    def answer(record: Row) -> Row:
        with _database(record["script"]) as path:
            asked = path, record["predicted"], record["query"]
            return {"score": float(names.eval_exec_match(*asked, False, False, False))}

    return answer


@official("sql-execution-bird")
def bird(code: Code) -> Answer:
    """Run BIRD's equality of sets of rows; the function is called at once, without its limit of time."""
    path, given = "bird/llm/src/evaluation.py", {"func_timeout": lambda _, function, args: function(*args)}
    names = code.names("AlibabaResearch/DAMO-ConvAI", path, **given, FunctionTimedOut=TimeoutError)

    def answer(record: Row) -> Row:
        with _database(record["script"]) as database:
            found = names.execute_model(record["predicted"], record["query"], database, 0, 30.0)
            return {"score": float(found["res"])}

    return answer


@official("humaneval")
def human_eval(code: Code) -> Answer:
    """Run the check of a completion, in a process of its own."""
    names = code.names("openai/human-eval", "human_eval/execution.py")

    def answer(record: Row) -> Row:
        problem = {name: record[name] for name in ("task_id", "prompt", "test", "entry_point")}
        return {"score": float(names.check_correctness(problem, record["completion"], timeout=3.0)["passed"])}

    return answer


@official("mbpp")
def mbpp(code: Code) -> Answer:
    """Run the check of a program with its asserts, in a process of its own."""
    path = "bigcode_eval/tasks/custom_metrics/execute.py"
    names = code.names("bigcode-project/bigcode-evaluation-harness", path)

    def answer(record: Row) -> Row:
        program = record["completion"] + "\n" + "\n".join(record["test_list"])
        return {"score": float(names.check_correctness(program, 3.0, record["id"], 0)["passed"])}

    return answer
