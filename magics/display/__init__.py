"""What the notebook shows: tables, text trees, curves and pictures."""
