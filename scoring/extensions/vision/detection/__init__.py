"""Object detection and instance segmentation: one evaluator whose published rules are parameters."""
