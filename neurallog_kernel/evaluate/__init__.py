"""Plan to numbers: SciPy and NumPy, sparse, without TensorFlow."""
