"""COCO: the twelve statistics of its evaluation."""
