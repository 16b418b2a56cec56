"""Examples, batches, training, metrics and saved models."""
