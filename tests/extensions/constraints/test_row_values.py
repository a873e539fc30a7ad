"""Settings of constraints that come from the record."""

from __future__ import annotations

import scoring


def test_a_whole_number_from_the_record_may_be_written_with_a_fraction_of_0() -> None:
    scorer = scoring.scorer('has_word_times(words=["a"], times=context.given)')
    assert scorer.score("a b a", None, context={"given": 2.0}).value == 1.0
    outcome = scorer.score("a b a", None, context={"given": 2.5})
    assert (
        outcome.reason
        == "`times` of `has_word_times` must be a whole number and at least 0, but `context.given` is 2.5"
    )
