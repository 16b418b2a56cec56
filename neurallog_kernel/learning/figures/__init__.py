"""How good answers are: ranks, areas, probabilities, metrics by name."""
