"""What a free text must hold: words, counts, places, lengths."""
