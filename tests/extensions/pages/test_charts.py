"""What plots a run has, how they are drawn, and that figures for papers are the same charts."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import scoring
from scoring.cli.main import main
from scoring.extensions.pages.charts import Chart, Forest, ForestRow, LineChart, Matrix, forest_of, histogram_of
from scoring.extensions.pages.drawing import draw_chart, draw_file
from scoring.extensions.pages.run_page import named_plots, run_document
from scoring.ranges import Better
from scoring.report.document import Document, Plot
from tests.support.hostile_texts import HOSTILE_TEXTS, controls, tags

SPEC: dict[str, Any] = {
    "kind": "task",
    "name": "t",
    "score": "equal",
    "by": ["kind"],
    "metrics": ["mean", "f1", *(f'{name}(confidence="sure")' for name in ("roc_auc", "average_precision", "ece"))],
}
ROWS = [
    {"id": n, "response": "abc"[n % 3], "reference": "abc"[n % 3 if n % 4 else 0], "kind": f"k{n % 2}", "sure": n / 40}
    for n in range(40)
]
CHARTS = [
    histogram_of([0.0, 0.25, 1.0], (0.0, 1.0)),
    Forest("f", "x", (ForestRow("a", 0.2, 0.1, 0.3), ForestRow("b", 0.8, 0.7, 0.9)), (0.0, 1.0), "lower", 0.5),
    LineChart("l", "x", "y", ()),
    Matrix("m", ("a", "b"), ("a", "b"), ((1.0, 0.0), (2.5, 3.0))),
]


def test_a_run_over_records_has_its_plots() -> None:
    plots = scoring.evaluate(SPEC, ROWS).plots
    assert list(plots) == [
        "scores_of_records.svg",
        "mean_by_kind.svg",
        "f1_confusion_matrix.svg",
        "roc_auc_confidence_sure_roc_curve.svg",
        "average_precision_confidence_sure_precision_recall_curve.svg",
        "ece_confidence_sure_reliability.svg",
    ]
    for text in plots.values():
        ElementTree.fromstring(text)
        assert "var(" not in text  # no program but a browser knows it


def test_the_curve_of_records_is_that_of_scikit_learn_by_hand() -> None:
    """Two right of four, at 0.9, 0.8, 0.8 and 0.1: the tie is one point."""
    rows = [
        {"id": n, "response": "a", "reference": right, "sure": sure}
        for n, (right, sure) in enumerate([("a", 0.9), ("a", 0.8), ("b", 0.8), ("b", 0.1)])
    ]
    summary = scoring.evaluate(SPEC, [{**row, "kind": "k"} for row in rows]).summary
    details = {one["metric"].split("(")[0]: one.get("details", {}) for one in summary["metrics"]}
    assert details["roc_auc"]["roc"] == [[0.0, 0.0], [0.0, 0.5], [0.5, 1.0], [1.0, 1.0]]
    assert details["average_precision"]["precision_recall"] == [[0.5, 1.0], [1.0, 2 / 3], [1.0, 0.5]]


def test_a_histogram_counts_every_score_and_says_what_it_leaves_out() -> None:
    chart = histogram_of([0.0, 0.5, 1.0, float("nan")], (0.0, 1.0), without=2)
    assert chart is not None
    assert sum(chart.counts) == 3
    assert chart.note == "3 records; not drawn: 3 without a score"
    values = np.random.default_rng(0).normal(size=500)
    found = histogram_of(values, (None, None))
    assert found is not None
    assert found.counts == tuple(np.histogram(values, bins=20)[0])
    assert histogram_of([float("nan")], (0, 1)) is None


def test_colours_go_by_the_direction_and_shapes_say_the_same() -> None:
    rows = (ForestRow("low", 0.2, 0.1, 0.3), ForestRow("high", 0.8, 0.7, 0.9), ForestRow("near", 0.5, 0.4, 0.6))
    expected: list[tuple[Better, list[str]]] = [
        ("higher", ["bad", "good", "same"]),
        ("lower", ["good", "bad", "same"]),
        (None, ["same"] * 3),
    ]
    for better, looks in expected:
        drawn = draw_chart(Forest("", "", rows, (0.0, 1.0), better, 0.5))
        assert re.findall(r'class="mark (\w+)"', drawn) == looks
        assert drawn.count("<circle") == looks.count("same")


def test_of_many_rows_the_first_are_drawn_and_the_rest_is_counted() -> None:
    chart = forest_of([ForestRow(str(n), n / 100) for n in range(70)], (0, 1), title="", x="")
    assert chart is not None
    assert (len(chart.rows), chart.note) == (40, "40 of 70 are drawn")


@pytest.mark.parametrize("chart", CHARTS, ids=lambda chart: type(chart).__name__)
def test_a_file_stands_for_itself(chart: Any) -> None:
    root = ElementTree.fromstring(draw_file(chart))
    assert root.tag == "{http://www.w3.org/2000/svg}svg"


def test_figures_for_papers_are_the_plots_of_the_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    run = scoring.evaluate(SPEC, ROWS, plots=tmp_path / "one")
    scoring.evaluate(SPEC, ROWS, plots=tmp_path / "two")
    assert sorted(path.name for path in (tmp_path / "one").iterdir()) == sorted(named_plots(run_document(run)))
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()
        ElementTree.fromstring(path.read_text("utf-8"))
    for shift in ("a", "b"):
        scoring.evaluate(SPEC, [{**row, "response": shift} for row in ROWS], output=tmp_path / shift)
    assert main(["compare", str(tmp_path / "a"), str(tmp_path / "b"), "--plots", str(tmp_path / "three")]) == 0
    assert "scores_of_each_record_in_both_runs.svg" in {path.name for path in (tmp_path / "three").iterdir()}


def test_texts_of_the_data_are_plain_in_figures_for_papers(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    from scoring.extensions.pages.papers import write_paper_figures

    texts = [*HOSTILE_TEXTS.values(), "$\\frac{1}{0}$", "$unclosed", "_hidden"]
    rows = tuple(ForestRow(text, 0.5, 0.4, 0.6) for text in texts)
    charts: list[Chart] = [
        Forest("<t>", "$x$", rows[start : start + 30], (0.0, 1.0)) for start in range(0, len(rows), 30)
    ]
    charts += [Matrix(text, (text,), (text,), ((1.0,),)) for text in texts[-3:]]
    blocks = tuple(Plot(text, chart) for text, chart in zip(texts, charts, strict=False))
    files = write_paper_figures(named_plots(Document(blocks)), tmp_path / "figures")
    assert len(files) == len(charts)
    for path in files:
        text = path.read_text("utf-8")
        ElementTree.fromstring(text)
        assert (controls(text), tags(text)) == ([], [])
        assert path.parent == tmp_path / "figures"


def test_a_run_with_nothing_to_draw_says_so(tmp_path: Path) -> None:
    notes: list[str] = []
    row = {"id": 1, "response": None, "reference": "a"}
    scoring.evaluate({"kind": "task", "name": "t", "score": "equal"}, [row], plots=tmp_path / "p", on_note=notes.append)
    assert notes == [f"{tmp_path / 'p'} has no plots: nothing that could be drawn has a score"]
