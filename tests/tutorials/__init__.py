"""Tests of the tutorials, and what runs and saves them."""
