"""Plan to TensorFlow: what no learnable reaches is a constant, the rest lives on the support."""
