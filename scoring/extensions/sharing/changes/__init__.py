"""What changed between two versions of a spec: which nodes, whether the meaning moved, and which records move by it."""
