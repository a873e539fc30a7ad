"""Verse: pronunciations, syllables, rhyme, metre, acrostics."""
