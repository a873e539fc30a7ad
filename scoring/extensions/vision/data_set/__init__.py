"""Tasks over whole data sets of images or of labelled data."""
