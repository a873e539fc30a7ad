"""Evaluators for classification, object detection and segmentation: pure NumPy over tables of whole data sets.

Imported lazily: nothing in the package root imports this folder. `docs/vision.md` explains the settings.
"""
