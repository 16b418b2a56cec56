"""Tests of explanations, sensitivities, the program check and differences."""
