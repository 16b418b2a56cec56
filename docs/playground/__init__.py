"""The playground: a page with an editor and, beside it, answers, graphs and explanations."""
