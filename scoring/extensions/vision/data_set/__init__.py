"""Tasks over whole data sets of images and labels."""
