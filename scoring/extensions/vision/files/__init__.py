"""Readers of the usual files of classification, detection and segmentation data sets."""
