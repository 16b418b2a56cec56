"""Hostile inputs, made when they are needed: `python -m tests.attacks` counts what they break."""
