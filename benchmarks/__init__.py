"""Ratios against a hand-written peer in the same run; nothing here is a test."""
