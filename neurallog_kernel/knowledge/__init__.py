"""What the program knows: sources, facts, rules, types and parameters."""
