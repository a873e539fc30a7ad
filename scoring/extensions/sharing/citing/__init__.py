"""What a run, a spec or a pack rests on: the sentence of a methods section, and the works that its rules come from."""
