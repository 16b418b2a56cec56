"""Engines beside the SciPy executor: the same plans, computed by a database."""
