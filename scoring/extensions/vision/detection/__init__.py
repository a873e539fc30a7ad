"""Object detection and instance segmentation: one evaluator, with the published rules as parameters."""
