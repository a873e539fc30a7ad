"""Agreement of raters: coefficients that correct for chance."""
