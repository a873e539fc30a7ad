"""Tasks: fields, aggregation, metrics and the score of failures, compiled to one object that scores records."""
