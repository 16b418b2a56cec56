"""Where time and memory go: by stage, and by rule."""
