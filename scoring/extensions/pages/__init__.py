"""Documents as pages and as fragments for notebooks, and plots."""
