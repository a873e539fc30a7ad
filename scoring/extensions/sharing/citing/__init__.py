"""Citations of a run, spec or pack: the sentence for a methods section, and the works that its rules come from."""
