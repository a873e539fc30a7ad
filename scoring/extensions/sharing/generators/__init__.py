"""Values that are drawn to try definitions on: of every type, near what is written, awkward, and made small."""
