"""What only a terminal, or the log of a run, needs: lines that fit, progress, completion, repetition on changes."""
