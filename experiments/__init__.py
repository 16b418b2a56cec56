"""The paper's experiments on our NeuralLog: `python -m experiments --help`."""
