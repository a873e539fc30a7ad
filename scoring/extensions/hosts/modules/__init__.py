"""What harnesses call while they evaluate: a module a harness."""
