"""Damaged programs, models and tables, edits and trainings: none may hang or end in a raw error."""
