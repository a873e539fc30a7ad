"""Reading numbers out of text, and comparing them."""
