"""Programs of the Berkeley leaderboard of function calls, and of queries by their rows."""

from __future__ import annotations

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
