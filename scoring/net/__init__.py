"""The network: addresses, names of hosts, HTTP within bounds, and keys hidden in what others say."""
