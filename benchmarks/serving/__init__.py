"""How a service of `scoring serve` fares: its pace, and what is lost where processes die, clients are slow or many."""
