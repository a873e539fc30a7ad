"""Each function that calls itself, straight or through others, names the bound that ends it before the stack does.

Files import downwards only (`test_circles`), so functions that call one another stand in one file.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.architecture.source import File, Function, files, hold, hold_but_for, is_lacking

# What ends the recursion of which functions. A function that is new here says why no value from outside ends the stack.
BOUNDS = {
    "lines of a story inside one another: `_DEEPEST` (200)": {"extensions/studio/stories.py": "_lines _moved"},
    "keys of an outline inside one another: `_DEEPEST` (4)": {"extensions/editors/server/looks.py": "_symbol"},
    "folders of a pack inside one another: `scoring.data.relative.MOST_FOLDERS` (20)": {
        "project/store.py": "_StoredFiles.files",
        "extensions/sharing/contents.py": "_write",
    },
    "specs and expressions: `scoring.format.limits` (64) and `scoring.lang.limits.DEPTH` (50)": {
        "compiler/tasks/accumulate.py": (
            "AccumulatorCompiler._fold AccumulatorCompiler._groups AccumulatorCompiler._level "
            "AccumulatorCompiler._level.visit AccumulatorCompiler._with_pass"
        ),
        "compiler/checks/apart.py": "can_never_match",
        "extensions/authoring/rest.py": "Rest._kept",
        "compiler/formulas/direction.py": "Directions.of",
        "compiler/formulas/figure_formula.py": "FigureFormula.of",
        "compiler/formulas/formula.py": (
            "FormulaCompiler._binary FormulaCompiler._boolean FormulaCompiler._call FormulaCompiler._check "
            "FormulaCompiler._choice FormulaCompiler._comparison FormulaCompiler._condition "
            "FormulaCompiler._fields_like FormulaCompiler._function FormulaCompiler._index "
            "FormulaCompiler._membership FormulaCompiler._number FormulaCompiler._operand "
            "FormulaCompiler._part FormulaCompiler._sides FormulaCompiler._unary"
        ),
        "compiler/checks/value_names.py": "declared_value",
        "compiler/checks/values_compile.py": (
            "ComputedValues._declared ComputedValues._value ComputedValues.begun "
            "ComputedValues.argument ComputedValues.path ComputedValues.path_of_name _with_parameters"
        ),
        "compiler/tasks/formula_fields.py": "_as_written",
        "compiler/tasks/least.py": ("_filled"),
        "compiler/checks/link.py": "Linker._imports Linker.scope",
        "compiler/identity/meaning.py": (
            "_operand _ordered _pipelines _step _takes_anything _unordered chain_meaning formula_meaning is_pure "
            "canonical_form program_meaning"
        ),
        "compiler/formulas/ranges.py": (
            "_of_any_number _pipelines _scored aggregate_range range_of scorer_ranges step_range"
        ),
        "compiler/records/record_reader.py": "reader",
        "compiler/records/searched.py": "_unknown_function",
        "compiler/checks/resolve.py": "_Layout._sides _Layout._step _Layout.steps",
        "compiler/running/run.py": "_bound _moves",
        "compiler/running/steps.py": "_straight",
        "extensions/editors/facts.py": "_type_of _type_text",
        "extensions/editors/flowing.py": (
            "Follower._of_param Follower._sides Follower.pipeline Follower.step Follower.through"
        ),
        "extensions/editors/names.py": "expression_text",
        "extensions/suites/layout.py": "is_attribute",
        "extensions/authoring/converting.py": "_lines",
        "extensions/authoring/edits.py": "_differences",
        "format/front_ends.py": "written",
        "format/keys.py": "moving paths_in stated",
        "format/table.py": "walk_keys",
        "format/load.py": "Loader.load",
        "format/read_json.py": "_Scanner.list _Scanner.mapping _Scanner.value",
        "format/validate.py": "_flat",
        "format/yaml_text.py": "_entry _mapping flow",
        "extensions/conformance/running.py": "_compare",
        "extensions/figures/record_pairs.py": "_arrays _Pairs.renamed",
        "extensions/figures/items.py": "_contribution _from_data _no_draws _table.fill _value",
        "extensions/judge/programs/formula.py": "_names",
        "extensions/sharing/deprecation/replacing.py": (
            "Replacing._call Replacing._pipeline Replacing._value replaced.pipeline"
        ),
        "extensions/site/expanded.py": "_call _calls _path _pipeline _value",
        "extensions/judge/programs/program.py": "_Loader._for_each _Loader._step _Loader._steps _unknown",
        "extensions/judge/programs/fitting.py": "_tests_of_mappings fits_of",
        "extensions/judge/programs/replies.py": "_ordered check_schema concrete names_of_counted_lists specimen",
        "extensions/judge/programs/run.py": "_for_each _run",
        "lang/evaluation.py": "_call evaluation",
        "lang/formula.py": "formula_from_data walk_formula",
        "lang/from_data.py": ("_Reader.argument _Reader.begun _Reader.call _Reader.pipeline _depth _value"),
        "lang/formula_printer.py": "_operand _operation_text print_formula",
        "lang/printer.py": "_argument_lines _arguments _call_lines _keywords _pipeline_lines value_text",
        "lang/tree.py": "value_from_data walk",
        "extensions/sharing/with_pipelines.py": "with_pipelines",
        "packs/megabench/front_end.py": "_literal",
        "ranges.py": "apply compare_ranges",
        "extensions/sharing/changes/found.py": "text_of_side",
        "extensions/sharing/changes/meanings.py": "_mark _marks",
        "extensions/sharing/changes/merge.py": (
            "TreeMerger._pipeline TreeMerger._series TreeMerger._merged TreeMerger.entries TreeMerger.merge trees_equal"
        ),
        "extensions/sharing/changes/names.py": (
            "NameRewriter._call NameRewriter._new_name NameRewriter._part NameRewriter._pipeline NameRewriter._value "
            "SpecFiles.definition"
        ),
        "extensions/sharing/changes/programs.py": "_call _part _pipeline _value",
        "extensions/sharing/changes/trees.py": "data_of part_tree",
        "extensions/sharing/citing/used.py": "_pipelines",
        "extensions/sharing/release/versions.py": "_expand",
        "extensions/sharing/release/equal.py": "_setting _step canonical_program",
        "extensions/sharing/release/patterns.py": "_content _part _sequence",
        "extensions/sharing/release/tasks.py": "_keys",
    },
    "values from outside: `scoring.depth.DEEPEST`; what calls them goes on in full depth where a stack ends": {
        "compiler/checks/arguments.py": "Binder._plain",
        "compiler/programs/expression_values.py": "_whole",
        "extensions/tracing/trace.py": "show",
        "data/json_schema.py": "_violation",
        "data/normalize.py": "_listed _mapping _of_numpy _other _within plain_value",
        "data/nulls.py": "_pruned",
        "data/plain_values.py": "_are",
        "extensions/columns/row_sizes.py": "_between _each",
        "data/json_write.py": "_plain_dict _plain_other plain",
        "extensions/audit/changes.py": "_leaves",
        "extensions/audit/figures.py": "_replace_value",
        "extensions/audit/wrong.py": "_text",
        "extensions/examples/running.py": "agrees",
        "engine/road/figures.py": "group_value",
        "extensions/verification/verification.py": "_without_releases",
        "extensions/judge/programs/replies.py": "read_reply_path",
        "extensions/judge/programs/run.py": "_plain",
        "extensions/judge/prompt.py": "_pieces",
        "packs/megabench_upstream/answer.py": "_freeze megabench_upstream_to_dict",
        "primitives/numbers/convert.py": "booleans_as_numbers",
        "extensions/structure/calls.py": "_calls_of",
        "primitives/parsing/literal_fast.py": "_tuple",
        "primitives/printed.py": "_holds_sets _shown in_stable_order printed",
        "primitives/sets/items.py": "freeze",
        "extensions/structure/json_schema_match.py": "_as_json _of_one_draft",
        "packs/megabench/texts.py": "as_lower_text",
        "extensions/trees/compare.py": "_in_pieces _keys _lists best_option compare_nodes",
        "extensions/trees/node.py": "_one_of leaf_pairs build_tree",
        "extensions/trees/tree.py": "_reading_of_lists _readings closest_reading",
        "registry/model.py": "Param.is_within",
        "extensions/sandbox/crossing.py": "_leaf_of _parts_of _parts_of.inner made_from made_of",
        "extensions/sandbox/examining.py": "Examiner._known Examiner.read",
        "extensions/sandbox/served.py": "Served._known Served._read",
        "extensions/sharing/release/constants.py": "texts_in",
        "extensions/sharing/release/formatting.py": "_is_json",
        "values.py": "key_of",
    },
    "strategies of values: their own count of levels (3), and the types of primitives": {
        "extensions/sharing/release/strategies.py": (
            "_Values._near_item _Values._near_item.changed _Values._near_value _Values._near_value.changed "
            "_Values._near _Values._of_type _Values.near _part"
        )
    },
    "patterns: `MAX_DEPTH` of `patterns.syntax` (40)": {
        "primitives/patterns/cost.py": "_is_fixed _is_sure _of_choice _of_loop _of_sequence cost first prefix shortest",
        "primitives/patterns/prepared.py": "_behind_lead _is_anchored _lead _opened",
        "primitives/patterns/syntax.py": (
            "_Reader.atom _Reader.choice _Reader.group _Reader.inner _Reader.odd_group _Reader.sequence"
        ),
    },
    "formulas and conditions: `_DEEPEST` of `latex.quantity` (60) and of `latex.evaluate` (80)": {
        "extensions/maths/quantity.py": (
            "_Reader._atom _Reader._juxtaposed _Reader._postfix _Reader._power "
            "_Reader._product _Reader._root _Reader._short_argument _Reader._signed _Reader._sum"
        ),
        "extensions/maths/server.py": "_nested",
        "extensions/structure/arithmetic.py": "_comparison _value",
    },
    "queries inside queries: `MOST_NESTED` of `packs.spider.queries` (40)": {
        "packs/spider/clauses.py": "_Form.clauses _Form.whole",
        "packs/spider/queries.py": "_Reader._conditions _Reader._from _Reader._value _Reader.query",
    },
    "syntax trees as deep as Python's compiler makes them (200 brackets), read on a fresh stack where one ends": {
        "extensions/structure/calls.py": "_Reader._arguments _Reader._computed _Reader._value"
    },
    "syntax trees of tree-sitter: `DEEPEST` of `generation.code.source` (150)": {
        "extensions/generation/code/flow.py": "_Follower.follow _Follower.in_turn"
    },
    "texts cut into parts that are shorter each time: the step is run in full depth, on a fresh stack where one ends": {
        "extensions/maths/formulas.py": "_all_same _by_parts _same_tidied_formula",
        "extensions/planning/plans.py": "_condition_holds",
    },
    "once more, of a half, of what is simpler or on a fresh stack: a few calls": {
        "extensions/site/definitions.py": "_bound_to",
        "compiler/programs/columns.py": "map_rows",
        "compiler/running/run.py": "ScorerRunner._join_one",
        "compiler/running/pair_function.py": "attempted.attempt outcome_function.outcome",
        "compiler/running/steps.py": "Chain.one",
        "data/json_lines.py": "values_of_lines",
        "data/normalize.py": "changed",
        "extensions/columns/row_sizes.py": "_halves",
        "extensions/hosts/columns.py": "_arrow_list",
        "engine/road/drive.py": "Driver._apart Driver._half",
        "extensions/generation/rouge.py": "_double_suffix",
        "extensions/maths/quantity.py": "_single number_with_unit",
        "extensions/maths/server.py": "_decide",
        "extensions/sandbox/warm.py": "WarmSandbox._prove",
    },
    "types and Python's annotations: as deep as code writes them, and `type_of` looks 8 levels deep": {
        "extensions/columns/arrow_types.py": "as_values coarse map_innermost",
        "extensions/columns/column_files.py": "_check",
        "extensions/columns/arrow_values.py": "_decoder _is_plain",
        "registry/annotations.py": "marks_of pipeline_of_annotation type_of_annotation",
        "registry/declare.py": "_bounds _choices _is_whole",
        "values.py": "_bind _bind_all_to_any _common assignable checker misfit substitute type_of",
    },
    "what reports are made of: blocks within blocks that the house itself writes": {
        "extensions/pages/html.py": "_tables",
        "extensions/reference/documents.py": "primitive_document",
        "extensions/pages/markdown.py": "_block _blocks _table",
        "extensions/pages/run_page.py": "plots_of_document",
        "extensions/tracing/documents.py": "_call _pruned _stage",
        "report/text.py": "_block _blocks _branches",
        "extensions/terminal/fitting.py": "_block _blocks _branches",
    },
}


def recursive(file: File) -> set[str]:
    """The functions of a file that reach themselves by the names that they call or hand on."""
    bodies = dict(_functions(file.tree, ""))
    calls = {name: set(_called(name, body, bodies)) for name, body in bodies.items()}
    found = set()
    for name in calls:
        reached: set[str] = set()
        ahead = set(calls[name])
        while ahead:
            one = ahead.pop()
            reached.add(one)
            ahead |= calls[one] - reached
        if name in reached:
            found.add(name)
    return found


def _functions(node: ast.AST, prefix: str) -> Iterator[tuple[str, Function]]:
    for inner in ast.iter_child_nodes(node):
        if isinstance(inner, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            if not isinstance(inner, ast.ClassDef):
                yield prefix + inner.name, inner
            yield from _functions(inner, f"{prefix}{inner.name}.")
        else:
            yield from _functions(inner, prefix)


def _called(name: str, body: Function, known: dict[str, Function]) -> Iterator[str]:
    """What a function calls or hands to another: names of its own scopes, and methods of its own class."""
    scopes = [name.rsplit(".", up)[0] + "." for up in range(name.count(".") + 1)]
    for call in (node for node in ast.walk(body) if isinstance(node, ast.Call)):
        for part in [call.func, *call.args, *(keyword.value for keyword in call.keywords)]:
            if isinstance(part, ast.Name):
                places = [scope + part.id for scope in (*scopes, "") if not _is_class(scope, known)]
            elif isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name) and part.value.id in OWN:
                places = [scope + part.attr for scope in scopes]
            else:
                continue
            yield from [place for place in places if place in known][:1]


def _is_class(scope: str, known: dict[str, Function]) -> bool:
    return bool(scope) and scope[:-1] not in known


OWN = ("self", "cls")


def test_each_recursive_function_names_what_bounds_it() -> None:
    found = [f"{file.place}: {name}" for file in files() for name in recursive(file)]
    listed = [
        f"{place}: {name}"
        for table in BOUNDS.values()
        for place, names in table.items()
        if not is_lacking(place)
        for name in names.split()
    ]
    hold("a recursive function has a bound on its depth, which stands in `BOUNDS`", _twice(listed))
    hold_but_for("a recursive function has a bound on its depth, which stands in `BOUNDS`", found, listed)


def test_what_servers_and_caches_say_is_read_in_full_depth() -> None:
    """Python's reader calls itself in C, and counts the caller's calls: it is handed to `in_full_depth`."""
    offenders = [
        f"{file.place}:{node.lineno}"
        for file in files()
        if file.room == "judge"
        for node in ast.walk(file.tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("json.loads", "loads")
    ]
    hold("no part of a judge calls `json.loads` itself", offenders)


def _twice(listed: list[str]) -> list[str]:
    return sorted({name for name in listed if listed.count(name) > 1})


def test_recursion_is_seen_through_others_methods_and_what_is_handed_on() -> None:
    text = """
def straight(value): return straight(value[0])
def one(value): return other(value)
def other(value): return map(one, value)
def alone(value): return one(value)
class Reader:
    def read(self): return self.list()
    def list(self): return [self.read()]
    def done(self): return done()
def done(): return 1
def outer():
    def inner(value): return inner(value)
    return inner
"""
    file = File(files()[0].path, text, ast.parse(text))
    assert recursive(file) == {"straight", "one", "other", "Reader.read", "Reader.list", "outer.inner"}
