"""Live pictures: the explorer."""
