"""From the words of a command line to a command and its exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from neurallog_kernel.cli import commands, training, worker
from neurallog_kernel.cli.declaration import COMMANDS, make_parser, sort_words
from neurallog_kernel.cli.shared import run_on_files
from neurallog_kernel.errors import NeuralLogError, did_you_mean

DONE, FAILED, MISUSED, INTERRUPTED = 0, 1, 2, 130
_OWN = {
    "run": commands.run,
    "train": training.train,
    "draw": commands.draw,
    "lab": commands.lab,
    "worker": worker.worker,
}


def main(words: Sequence[str] | None = None) -> int:
    """Run a command; mistakes go to stderr with their place, and decide the exit code."""
    words = sys.argv[1:] if words is None else list(words)
    parser = make_parser()
    if not words:
        parser.print_help()
        return MISUSED
    if not words[0].startswith("-") and words[0] not in COMMANDS:
        hint = did_you_mean(words[0], COMMANDS) or f"there are: {', '.join(COMMANDS)}"
        print(f"neurallog: unknown command {words[0]}\n    {hint}", file=sys.stderr)
        return MISUSED
    options = parser.parse_args(words)
    sort_words(COMMANDS[options.command], options)
    try:
        code = DONE
        if options.command in _OWN:
            code = _OWN[options.command](options) or DONE
        else:
            run_on_files(COMMANDS[options.command], options)
        sys.stdout.flush()  # here, where a reader that is gone is no mistake
        return code
    except NeuralLogError as error:
        print(error, file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
