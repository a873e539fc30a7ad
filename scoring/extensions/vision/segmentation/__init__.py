"""Semantic segmentation: a confusion matrix in pixels, gathered image by image."""
