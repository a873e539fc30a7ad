"""Analysis of verse: pronunciations, syllables, rhyme, metre, acrostics."""
