"""Faults on purpose: interrupts, threads and kills. `python -m tests.faults --help` tries many."""
