"""Every run draws the same cases; NEURALLOG_HYPOTHESIS=explore draws others, to find new ones."""

import os

from hypothesis import settings

settings.register_profile("same", derandomize=True, database=None, deadline=None)
settings.register_profile("explore", deadline=None)
settings.load_profile(os.environ.get("NEURALLOG_HYPOTHESIS", "same"))
