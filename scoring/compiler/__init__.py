"""Compile specs: resolve names, check types, build a typed program, and compute its signature."""
