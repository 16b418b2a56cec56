"""Before the first epoch: what is learned, and the weights it begins with."""
