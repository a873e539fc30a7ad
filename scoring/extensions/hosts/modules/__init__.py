"""What hosts load as their own modules, by the entry points of their groups; a file a host."""
