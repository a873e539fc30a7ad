"""Files in the layouts of evaluations: lines of text, columns of tags, and ranked lists with their judgements."""
