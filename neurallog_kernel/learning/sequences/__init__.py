"""Sequences of labels: the loss of a whole sequence, and the best one."""
