"""Saved models: one file, checked before it is used."""
