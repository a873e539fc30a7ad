"""Writing of spec files: starters, copies of shipped examples, conversion of foreign forms, the canonical form."""
