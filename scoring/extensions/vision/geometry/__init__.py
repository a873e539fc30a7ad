"""Boxes, polygons and masks: areas, overlaps and conversions."""
