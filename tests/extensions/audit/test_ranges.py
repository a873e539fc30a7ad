"""An audit holds scorers and figures to their own scale."""

from __future__ import annotations

from pathlib import Path

import scoring


def test_an_audit_holds_scorers_and_figures_to_their_own_scale(tmp_path: Path) -> None:
    path = tmp_path / "task.yaml"
    words = ("xy", "zab", "ucdef")
    path.write_text(
        "kind: task\nname: t\nparse: json\nfields: {a: equal, b: 'levenshtein | scale(by=0.5, plus=0.25)'}\n"
        "aggregate: 2 * a + 4 * b\npass: score >= 4\non_missing: unscored\n"
        "metrics: [mean, pass_rate, accuracy(threshold=4)]\nexamples:\n"
        + "".join(f"  - {{response: {{a: {x}, b: {x}}}, reference: {{a: {x}, b: {x}}}, expect: 5}}\n" for x in words)
    )
    found = scoring.audit(path).to_json()
    broken = {(one["scorer"], law["law"]) for one in found["scorers"] for law in one["laws"] if law["holds"] is False}
    assert not {pair for pair in broken if pair[1] in ("reference", "threshold", "empty")}
    tried = {(one["scorer"], law["law"]): law["tried"] for one in found["scorers"] for law in one["laws"]}
    assert tried["b", "reference"] == 3
    assert tried["metric accuracy(threshold=4)", "threshold"] == 1
