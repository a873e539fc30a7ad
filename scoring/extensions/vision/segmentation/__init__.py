"""Semantic segmentation: a confusion matrix in pixels, collected image by image."""
