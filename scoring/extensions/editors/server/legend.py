"""The kinds of colours that the server tells editors about."""

TOKEN_TYPES = ("property", "function", "variable", "namespace", "parameter", "string", "number", "keyword", "macro")
TOKEN_MODIFIERS = ("declaration", "defaultLibrary")
