"""What a training is told: options of a call and parameters of a program, each looked at first."""
