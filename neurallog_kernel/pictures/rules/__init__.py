"""The live table of learned rules: ticks, buttons, and what stays in a saved notebook."""
