"""Tests of the tables that come in: doors, mappings, examples, and what is wrong with rows."""
