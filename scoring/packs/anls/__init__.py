"""ANLS: the similarity of the released DocVQA code."""
