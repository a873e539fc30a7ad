"""The rules by which Valor's older service and valor-lite match detections."""

from __future__ import annotations

from scoring.extensions.vision.detection.settings import MatchRules

VALOR = MatchRules("best_only", "overlap", "drop_unmatched", minimum_score=1e-9)
VALOR_LITE = MatchRules("best_only", "overlap_any_label", "drop_unmatched", minimum_score=1e-9)
