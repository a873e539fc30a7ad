"""Static sites about packs, tasks and primitives, and a server for one on which definitions can be tried."""
