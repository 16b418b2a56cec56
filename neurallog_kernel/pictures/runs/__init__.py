"""The table of trainings, alive."""
