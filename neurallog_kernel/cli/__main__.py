"""`python -m neurallog_kernel.cli`, where the script `neurallog` is not on the path."""

import sys

from neurallog_kernel.cli.main import main

sys.exit(main())
