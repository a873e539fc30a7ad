"""The network: addresses, names of hosts, and HTTP within bounds."""
