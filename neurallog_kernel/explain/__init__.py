"""Why an answer is what it is, what would change it, and what to look at in a program."""
