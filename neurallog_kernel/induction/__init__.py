"""Learning the rules themselves: mine candidates, fit their weights, show them to a human."""
