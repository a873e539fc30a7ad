"""From names to a typed program: resolve, check, compile, sign."""
