"""ANLS: the string similarity of the released DocVQA code."""
