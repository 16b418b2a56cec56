"""The command that says where time and memory go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from neurallog_kernel import NeuralLogError
from neurallog_magics.arguments import COMMANDS, argument, command
from neurallog_magics.commands.learning import chosen_options

if TYPE_CHECKING:
    from argparse import Namespace

    from neurallog_magics.magic import NeuralLogMagics


@command(
    "profile",
    "Time and memory by stage and by rule, of a question or (profile train ...) of an epoch.",
    argument("--top", type=int, metavar="N", help="keep the best N answers"),
    rest="?- p(a, Y).",
)
def profile(magics: NeuralLogMagics, options: Namespace) -> Any:
    if not options.rest:
        raise NeuralLogError(
            "profile what?", hint="%neurallog profile ?- p(a, Y).  or  %neurallog profile train"
        )
    session = magics.live(options.session).session
    word, _, more = options.rest.partition(" ")
    if word != "train":
        return session.profile(options.rest, options.top)
    return session.profile_training(**chosen_options(COMMANDS["train"].parse(more)))
