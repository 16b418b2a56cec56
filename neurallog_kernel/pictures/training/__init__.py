"""Curves of a training, for every view that shows one."""
