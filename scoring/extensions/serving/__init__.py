"""Tasks as an HTTP service: one stateless process, killable workers behind it, and the requests of several hosts."""
