"""COCO: the twelve statistics that it publishes."""
