"""Examples: the targets of a training with their rows and labels, batches and splits of them."""
