"""Tests of the language front end."""
