"""`%config NeuralLog`: what a user can set for the whole notebook, checked when it is set."""

from __future__ import annotations

from traitlets import Bool, CaselessStrEnum, Float, Int, TraitError, Unicode, observe, validate
from traitlets.config import Configurable

from neurallog_kernel import NeuralLogError, Session, format_constant, format_number
from neurallog_magics.state import DEFAULT, Notebook

SOURCE = "%config"
_PARAMETERS = (
    "recursion_depth",
    "epochs",
    "batch_size",
    "learning_rate",
    "optimizer",
    "loss_function",
    "unlisted",
)


class NeuralLog(Configurable):
    """Settings of the NeuralLog magics."""

    session = Unicode(DEFAULT, help="The session used where no --session is given.").tag(
        config=True
    )
    rows = Int(50, min=1, max=10_000, help="Rows of a table that are shown.").tag(config=True)
    quiet = Bool(False, help="Leave out the line that says what a cell changed.").tag(config=True)
    remarks = Bool(True, help="Say under a cell where its rules may mean something else.").tag(
        config=True
    )
    updates = Float(4.0, min=0.1, max=20.0, help="Updates a second while training.").tag(
        config=True
    )
    write_anywhere = Bool(
        False, help="Let command lines inside a cell's text write outside the notebook's folder."
    ).tag(config=True)
    strict = Bool(False, help="Make an empty body predicate an error.").tag(config=True)
    recursion_depth = Int(
        None, allow_none=True, min=0, help="How often a predicate may be opened again."
    ).tag(config=True)
    epochs = Int(None, allow_none=True, min=0, help="Epochs of a training.").tag(config=True)
    batch_size = Int(None, allow_none=True, min=1, help="Examples in a batch.").tag(config=True)
    learning_rate = Float(None, allow_none=True, help="The optimizer's step.").tag(config=True)
    optimizer = Unicode(None, allow_none=True, help="A Keras optimizer.").tag(config=True)
    loss_function = Unicode(None, allow_none=True, help="A Keras loss.").tag(config=True)
    unlisted = CaselessStrEnum(
        ("false", "unknown"), None, allow_none=True, help="What unlisted outputs count as."
    ).tag(config=True)

    def __init__(self, notebook: Notebook, **options) -> None:
        self.notebook = notebook
        super().__init__(**options)
        notebook.default = self.session

    @observe("session")
    def _use(self, change) -> None:
        self.notebook.default = change["new"]
        self.apply(self.notebook.live().session)

    @observe("strict")
    def _set_strict(self, change) -> None:
        for live in self.notebook.sessions.values():
            live.session.strict = change["new"]

    @validate("session")
    def _a_name(self, proposal) -> str:
        if not proposal["value"].strip():
            raise TraitError("the name of a session cannot be empty")
        return proposal["value"]

    @observe(*_PARAMETERS)
    def _set_parameters(self, change) -> None:
        for live in self.notebook.sessions.values():
            self.apply(live.session)

    def apply(self, session: Session) -> None:
        """Give a session what is set here."""
        session.strict = self.strict
        lines = []
        for name in _PARAMETERS:
            value = getattr(self, name)
            if value is not None:
                text = format_constant(value) if isinstance(value, str) else format_number(value)
                lines.append(f"set_parameter({name}, {text}).")
        if lines:
            session.add("\n".join(lines), source=SOURCE)
        elif SOURCE in session.sources:
            session.remove(SOURCE)

    def check(self, session: Session) -> None:
        """Sessions that came later get the settings, too."""
        wanted = any(getattr(self, name) is not None for name in _PARAMETERS)
        if session.strict != self.strict or wanted != (SOURCE in session.sources):
            try:
                self.apply(session)
            except NeuralLogError as error:
                raise TraitError(str(error)) from error
