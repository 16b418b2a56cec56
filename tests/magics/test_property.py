"""Whatever is run, edited, run again or deleted: the session is what the cells now say."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import neurallog_magics
from neurallog_kernel import Session

CELLS = ("one", "two", "three", "four")
GOOD = (
    "p(a, b). p(b, c).",
    "p(a, b). 0.5::p(b, c). p(c, d).",
    "q(b). 0.25::q(c).",
    "r(X, Z) :- p(X, Y), p(Y, Z).",
    "r(X, Y) :- p(X, Y), q(Y).\nlearn(q).",
    "0.5::r(X, Y) :- p(X, Y).\n?- p(X, Y).",
    "p(a, b).\nr(X, Z) :- p(X, Y), p(Y, Z).",
    "age(a, 10). s(X) :- age(X, A), q(X).",
    "set_parameter(recursion_depth, 2).\nr(X, Z) :- p(X, Y), r(Y, Z).",
    "for i in a b do t_{i}({i}). done",
    "u(X) :- {v}(X), q(X).",
    "",
)
BAD = ("p(a, b", "p(X, b).", "p(a, 3).", "q(b).\n?- nowhere(X).", "set_parameter(no_such, 1).")
steps = st.one_of(
    st.tuples(st.just("run"), st.sampled_from(CELLS), st.sampled_from(GOOD)),
    st.tuples(st.just("run"), st.sampled_from(CELLS), st.sampled_from(BAD)),
    st.tuples(st.just("delete"), st.sampled_from(CELLS), st.just("")),
    st.tuples(st.just("python"), st.sampled_from(CELLS), st.just("")),
)


def answers(session: Session) -> dict:
    """Every answer to every open question."""
    found = {}
    for one in session.predicates():
        name, _, arity = one.name.rpartition("/")
        variables = ", ".join(f"V{i}" for i in range(int(arity)))
        found[one.name] = session.query(f"{name}({variables})").weights
    return found


def clauses(session: Session) -> list[str]:
    return [line for line in session.program().splitlines() if line[:2] != "% "]


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(steps, max_size=14))
def test_the_session_is_what_the_cells_say(notebook, sequence):
    notebook.line("reset")
    said: dict[str, str] = {}  # the cells that ran, by their place
    for what, cell, text in sequence:
        if what == "run":
            ran = notebook.neurallog(text or "\n", cell)
            if ran.error is None:
                said[cell] = text
        elif what == "delete":
            notebook.run("0", "elsewhere", deleted=[cell])
            said.pop(cell, None)
        else:
            notebook.run("0", cell)
            said.pop(cell, None)
    live, fresh = neurallog_magics.session(), Session()
    for cell, text in said.items():
        fresh.add(text, source=cell)
    assert clauses(live) == clauses(fresh)
    assert answers(live) == answers(fresh)
