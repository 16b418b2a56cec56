"""Plans and scores in databases, beside the SciPy executor."""
