"""Tests of what leaves: tables, embeddings, Keras models and SavedModels."""
