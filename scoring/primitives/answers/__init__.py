"""Short answers of document question answering: cleaning, numbers, identifiers, listed answers."""
