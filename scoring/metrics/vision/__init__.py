"""Data-set metrics of classification, object detection and segmentation.

These modules only declare; NumPy and the evaluators of `scoring.vision` are imported when a metric is computed.
"""
