"""Losses, update rules, penalties and schedules: formulas on arrays, no programs."""
