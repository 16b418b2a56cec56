"""Choosing settings by cross-validation, on training examples only."""
