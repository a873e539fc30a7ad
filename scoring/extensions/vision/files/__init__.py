"""Readers for the usual files of classification, detection and segmentation data sets."""
