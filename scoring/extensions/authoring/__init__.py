"""Writing of spec files: starters, copies of shipped examples, conversion of other tools' files, the canonical form."""
