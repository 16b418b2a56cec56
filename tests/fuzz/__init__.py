"""Damaged programs, models, tables and edits: none may hang or end in a raw error."""
