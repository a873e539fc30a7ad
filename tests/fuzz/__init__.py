"""Fuzzing: what every room makes of inputs that nobody would write.

    python -m tests.fuzz --inputs 1000000                     # all targets, two processes, about half an hour
    python -m tests.fuzz --inputs 5000 --target primitives    # one target; `--list` says which there are
    python -m tests.fuzz --replay fuzz-findings/….json        # one finding again

The long run prints a table (inputs, crashes, hangs, escaped exceptions, scores out of range, outcomes that differ
between two runs, reasons in bare Python), saves every finding as a minimal reproduction, and ends with status 1 when
there is any. The suite runs a few hundred inputs of every target with Hypothesis (`test_short_run.py`).

What is a finding
    crash       the process that ran the input died: a signal, `os._exit`, the memory limit of the kernel
    hang        the input took more CPU time than its limit (`--cpu-seconds`; wall time decides nothing), or all
                processes of it slept for minutes
    memory      it asked for more memory than its process may have (RLIMIT_AS, `--memory-mib`)
    exception   an exception came out of a call that promises none
    range       a score lies outside the range that is declared for its settings
    differs     two runs disagree, to the bit: the same input again, in another order, from a deeper call, in a batch,
                or in another process with another PYTHONHASHSEED
    bare        a reason is what Python says, not what a person would: "AttributeError: 'list' object has no …"

How a target is added
    1. A module in `tests/fuzz/targets/` with a subclass of `Target` (`tests/fuzz/target.py`):
       `setup(random)` draws what a few inputs share (a spec, settings), `given(random, setup)` draws one input, and
       `open(setup)` gives the `Subject` whose `one(given)` runs it and says what came out (`Told`). All that is drawn
       is plain data (`tests/fuzz/codec.py` says which), so that it can be saved, replayed and made smaller; whatever
       is made of it (files, servers, folders) is made in `open` and `one`.
    2. Its instance in `TARGETS` of `tests/fuzz/targets/__init__.py`. The short run, the long run, replays and the
       crossing of processes follow.
    Draw with `scoring/extensions/sharing/generators`, which the release check draws with, too: `values` (by type of the
    language, biased to edges) and `mutate`; `corpus` has texts of our own, and further seeds are
    JSON lines in `tests/fuzz/seeds/` (`seeds.read("name")`), small, synthetic, written by us.
    `told_outcome` and `told_failure` of `tests/fuzz/target.py` make `Told` of outcomes and exceptions, with the faults
    that every target looks for. A `Subject` whose `many` is None has no batch form. Draw from `random` alone, never
    from a set or by a hash: an input is named by its seed.
"""
