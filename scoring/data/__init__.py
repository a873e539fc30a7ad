"""Data sets: files and tables of rows, and of images and labels."""
