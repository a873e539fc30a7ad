"""1,000,000 classification scores (100,000 data × 10 labels): each metric beside scikit-learn and valor-lite.

    python benchmarks/classification.py [--rounds 2]

Data are arrays in memory; valor-lite is also charged with loading them, without which it cannot start.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from side_by_side import Work, main, quiet, shown

LABELS = [f"c{i}" for i in range(10)]
THRESHOLDS = [k / 100 for k in range(5, 100, 5)]


def prepare(folder: Path) -> None:
    """Draw the scores."""
    generator = np.random.Generator(np.random.PCG64(31337))
    truth = generator.integers(0, 10, 100_000)
    logits = generator.normal(0, 1, (100_000, 10))
    logits[np.arange(truth.size), truth] += 1.5
    shares = np.exp(logits - logits.max(axis=1, keepdims=True))
    scores = (shares / shares.sum(axis=1, keepdims=True)).round(6)
    np.savez(folder / "scores.npz", truth=truth, scores=scores)


def _load(folder: Path) -> tuple[np.ndarray, np.ndarray]:
    data = np.load(folder / "scores.npz")
    return data["truth"], data["scores"]


def _table(truth: np.ndarray, scores: np.ndarray) -> Any:
    """The table of a complete matrix of scores, one row per datum and one column per label."""
    from scoring.extensions.vision.classification.table import Classifications
    from scoring.extensions.vision.vocabulary import Vocabulary

    data, width = scores.shape
    order = np.arange(data)
    rows = np.repeat(order, width), np.tile(np.arange(width), data), np.ascontiguousarray(scores, np.float64).ravel()
    return Classifications(order, order, truth.astype(np.int64), *rows, Vocabulary.declared(LABELS))


def ours_auc(folder: Path) -> Work:
    """Our ROC AUC of every label, the table built from the matrix included."""
    from scoring.extensions.vision.classification.roc import roc_scores

    truth, scores = _load(folder)

    def work() -> str:
        table = _table(truth, scores)
        return shown([roc_scores(table, unlisted="rank_last").result()["mean"]])

    return work


def sklearn_auc(folder: Path) -> Work:
    """scikit-learn's, one label against the rest."""
    from sklearn.metrics import roc_auc_score

    truth, scores = _load(folder)
    return lambda: shown([float(np.mean([roc_auc_score(truth == i, scores[:, i]) for i in range(scores.shape[1])]))])


def ours_hard(folder: Path) -> Work:
    """Our precision, recall, F1 and accuracy of the best label."""
    from scoring.extensions.vision.classification.counts import count

    truth, scores = _load(folder)

    def work() -> str:
        table = _table(truth, scores)
        counts = count(table, thresholds=[0.0], hard_max=True, counting="one_vs_rest")
        f1 = [row["f1"] for row in counts.at(0).values()]
        return shown([counts.accuracy(0), float(np.mean(f1))])

    return work


def sklearn_hard(folder: Path) -> Work:
    """scikit-learn's."""
    from sklearn.metrics import accuracy_score, precision_recall_fscore_support

    truth, scores = _load(folder)

    def work() -> str:
        best = scores.argmax(axis=1)
        f1 = precision_recall_fscore_support(truth, best, zero_division=0)[2]
        return shown([float(accuracy_score(truth, best)), float(f1.mean())])

    return work


def ours_curve(folder: Path) -> Work:
    """Our counts, precision, recall and F1 at 19 thresholds."""
    from scoring.extensions.vision.classification.counts import count, precision_recall_f1

    truth, scores = _load(folder)

    def work() -> str:
        table = _table(truth, scores)
        counts = count(table, thresholds=THRESHOLDS, hard_max=False, counting="one_vs_rest")
        return shown([float(precision_recall_f1(counts.tp, counts.fp, counts.fn)[2].mean())])

    return work


def sklearn_curve(folder: Path) -> Work:
    """scikit-learn's, threshold by threshold."""
    from sklearn.metrics import precision_recall_fscore_support

    truth, scores = _load(folder)
    wanted = truth[:, None] == np.arange(scores.shape[1])
    return lambda: shown(
        [
            float(
                np.mean(
                    [
                        precision_recall_fscore_support(wanted, scores >= t, zero_division=0)[2].mean()
                        for t in THRESHOLDS
                    ]
                )
            )
        ]
    )


def valor_lite_all(folder: Path) -> Work:
    """valor-lite: loading, ROC AUC and the best label's counts."""
    from valor_lite.classification import Classification, Loader

    truth, scores = _load(folder)

    def work() -> str:
        loader = Loader.in_memory()
        loader.add_data(
            [
                Classification(uid=str(i), groundtruth=LABELS[label], predictions=LABELS, scores=row)
                for i, (label, row) in enumerate(zip(truth.tolist(), scores.tolist(), strict=True))
            ]
        )
        evaluator = loader.finalize()
        areas = evaluator.compute_rocauc()
        hard = evaluator.compute_precision_recall()
        values = {str(getattr(k, "value", k)): v for k, v in {**areas, **hard}.items()}
        return shown([values["mROCAUC"][0].to_dict()["value"], values["Accuracy"][0].to_dict()["value"]])

    return lambda: quiet(work)


WORKERS = {
    "scoring ROC AUC": ours_auc,
    "scikit-learn ROC AUC": sklearn_auc,
    "scoring best label": ours_hard,
    "scikit-learn best label": sklearn_hard,
    "scoring 19 thresholds": ours_curve,
    "scikit-learn 19 thresholds": sklearn_curve,
    "valor-lite loading, ROC AUC, best label": valor_lite_all,
}

if __name__ == "__main__":
    main(WORKERS, prepare, "1,000,000 scores; the factor is against our ROC AUC")
