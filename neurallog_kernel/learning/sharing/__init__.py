"""Training by several processes: each grounds its share of the examples, gradients are summed."""
