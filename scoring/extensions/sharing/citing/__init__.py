"""Citations of runs, specs and packs: sentences for a methods section, and the works that the rules come from."""
