"""The public names for evaluation platforms: a task as the scorer, evaluator or metric of each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scoring.api.room import room

if TYPE_CHECKING:
    from scoring.extensions.hosts.platforms.autoevals import autoevals as autoevals
    from scoring.extensions.hosts.platforms.braintrust import braintrust as braintrust
    from scoring.extensions.hosts.platforms.deepeval import deepeval as deepeval
    from scoring.extensions.hosts.platforms.feedback import to_feedback as to_feedback
    from scoring.extensions.hosts.platforms.hf_evaluate import hf_evaluate as hf_evaluate
    from scoring.extensions.hosts.platforms.langfuse import langfuse as langfuse
    from scoring.extensions.hosts.platforms.langsmith import langsmith as langsmith
    from scoring.extensions.hosts.platforms.mlflow import mlflow as mlflow
    from scoring.extensions.hosts.platforms.phoenix import phoenix as phoenix
    from scoring.extensions.hosts.platforms.ragas import ragas as ragas
    from scoring.extensions.hosts.platforms.weave import weave as weave

__all__, __getattr__, __dir__ = room("platforms")
