"""Ratios against peers in one run: `python -m benchmarks --help`. Nothing here is a test."""
