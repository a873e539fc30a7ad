"""Quirks of the released code of benchmarks, bug for bug and made safe; clean primitives live elsewhere."""
