"""The real kernels, spoken to as a front end does: Python's with the extension, and NeuralLog's."""

import json
import re
import time
from contextlib import suppress
from pathlib import Path
from queue import Empty

import pytest
from jupyter_client.manager import KernelManager

from neurallog_magics.install import install

ROOT = Path(__file__).parents[2]
PATIENCE = 600  # seconds; for a machine that is busy with something else


class Front:
    """A front end: runs cells by id and collects what they show."""

    def __init__(self, name: str, folder: Path) -> None:
        self.manager = KernelManager(kernel_name=name)
        self.manager.start_kernel(cwd=str(folder))
        self.client = self.manager.blocking_client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=PATIENCE)
        self.early: list[dict] = []  # messages that were waited for, for `collect`

    def close(self) -> None:
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)

    def send(self, code: str, cell: str | None = None, deleted=()) -> str:
        content = {"code": code, "silent": False, "store_history": True, "user_expressions": {}}
        content |= {"allow_stdin": False, "stop_on_error": True}
        message = self.client.session.msg("execute_request", content)
        message["metadata"] = {"cellId": cell, "deletedCells": list(deleted)} if cell else {}
        self.client.shell_channel.send(message)
        return message["header"]["msg_id"]

    def until(self, identity: str, kind: str) -> None:
        """Wait for the first message of a kind: an interrupt before it would find nothing to do."""
        deadline = time.monotonic() + PATIENCE
        while not any(
            one["msg_type"] == kind and one["parent_header"].get("msg_id") == identity
            for one in self.early
        ):
            assert time.monotonic() < deadline, f"no {kind} came"
            with suppress(Empty):
                self.early.append(self.client.get_iopub_msg(timeout=0.2))

    def _message(self) -> dict | None:
        if self.early:
            return self.early.pop(0)
        try:
            return self.client.get_iopub_msg(timeout=0.2)
        except Empty:
            return None

    def collect(self, identity: str) -> dict:
        reply, shown, errors, streams, number = None, [], [], [], None
        deadline = time.monotonic() + PATIENCE
        idle = False
        while not (idle and reply):
            assert time.monotonic() < deadline, "the kernel did not answer"
            message = self._message()
            if message and message["parent_header"].get("msg_id") == identity:
                kind, content = message["msg_type"], message["content"]
                if kind in {"display_data", "execute_result"}:
                    shown.append(content["data"])
                elif kind == "update_display_data":
                    shown[-1] = content["data"]
                elif kind == "error":
                    errors.append(content)
                elif kind == "stream":
                    streams.append((content["name"], content["text"]))
                elif kind == "execute_input":
                    number = content["execution_count"]
                elif kind == "status" and content["execution_state"] == "idle":
                    idle = True
            if reply is None:
                try:
                    found = self.client.get_shell_msg(timeout=0.05)
                    if found["parent_header"].get("msg_id") == identity:
                        reply = found["content"]
                except Empty:
                    pass
        return {
            "reply": reply,
            "shown": shown,
            "text": [data["text/plain"] for data in shown],
            "errors": errors,
            "streams": streams,
            "number": number,
        }

    def run(self, code: str, cell: str | None = None, deleted=()) -> dict:
        return self.collect(self.send(code, cell, deleted))


@pytest.fixture(scope="module")
def jupyter_path(tmp_path_factory):
    """A data folder with the kernelspec as the wheel installs it."""
    folder = tmp_path_factory.mktemp("jupyter")
    install(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JUPYTER_PATH", str(folder / "share/jupyter"))
        patch.setenv("JUPYTER_PLATFORM_DIRS", "1")
        patch.setenv("IPYTHONDIR", str(folder / "ipython"))
        yield folder


@pytest.fixture(scope="module")
def python(jupyter_path, tmp_path_factory):
    front = Front("python3", tmp_path_factory.mktemp("python"))
    front.run("%load_ext neurallog_magics")
    yield front
    front.close()


@pytest.fixture(scope="module")
def kernel(jupyter_path, tmp_path_factory):
    front = Front("neurallog", tmp_path_factory.mktemp("neurallog"))
    yield front
    front.close()


FAMILY = "parent(ann, bob). 0.5::parent(bob, cid)."
RULE = "grandparent(X, Z) :- parent(X, Y), parent(Y, Z)."


# -- the Python kernel ----------------------------------------------------------------------------


def test_a_cell_is_owned_by_its_id(python):
    first = python.run(f"%%neurallog\n{FAMILY}\n{RULE}\n?- grandparent(ann, W).", "a")
    assert first["reply"]["status"] == "ok"
    assert first["text"][0].startswith("+2 facts, +1 rule, 2 predicates recompiled")
    assert "0.5" in first["text"][-1]
    assert "nl-bar" in first["shown"][-1]["text/html"]
    again = python.run("%%neurallog\nparent(ann, bob). 0.9::parent(bob, cid).", "a")
    assert "- grandparent(X, Z) :-" in again["text"][0]
    assert "1 fact replaced" in again["text"][0]
    copied = python.run(f"%%neurallog\n{RULE}\n?- grandparent(ann, W).", "b")
    assert "0.9" in copied["text"][-1]


def test_a_deleted_cell_is_retracted_with_the_next_run(python):
    python.run("%%neurallog\nextra(one).", "doomed")
    after = python.run("%%neurallog\nother(two).", "next", deleted=["doomed"])
    assert "- extra(one)." in after["text"][0]
    assert python.run("%neurallog query extra(X)", "q")["reply"]["status"] == "error"


def test_an_error_is_short_and_names_the_cell(python):
    failed = python.run("%%neurallog\nok(a).\nbad(a :- b.", "bad")
    (error,) = failed["errors"]
    assert error["ename"] == "ProgramSyntaxError"
    assert 3 <= len(error["traceback"]) <= 6
    assert error["traceback"][0].startswith(f"cell [{failed['number']}]:3:")
    assert "^" in error["traceback"][2]
    assert failed["streams"] == []
    traced = python.run("%neurallog traceback", "tb")
    assert "Traceback" in traced["text"][0]


def test_completion_over_the_wire(python):
    python.run("%%neurallog\nparent(ann, bob).\ngrandparent(X, Y) :- parent(X, Y).", "a")
    code = "%%neurallog\nh(X) :- grandp"
    message = python.client.complete(code, len(code), reply=True, timeout=PATIENCE)["content"]
    assert message["matches"] == ["grandparent"]
    assert code[message["cursor_start"] : message["cursor_end"]] == "grandp"
    (kind,) = message["metadata"]["_jupyter_types_experimental"]
    assert kind["type"] == "predicate grandparent/2"
    code = "%neurallog tr"
    found = python.client.complete(code, len(code), reply=True, timeout=PATIENCE)["content"]
    assert found["matches"] == ["train", "traceback"]
    code = "impor"
    found = python.client.complete(code, len(code), reply=True, timeout=PATIENCE)["content"]
    assert "import" in found["matches"]


def test_inspection_over_the_wire(python):
    python.run("%%neurallog\nparent(ann, bob).\ngrandparent(X, Y) :- parent(X, Y).", "a")
    code = "%%neurallog\nh(X) :- grandparent(X, Y)."
    place = code.index("grandparent") + 3
    found = python.client.inspect(code, place, reply=True, timeout=PATIENCE)["content"]
    assert "grandparent/2: relation" in found["data"]["text/plain"]
    assert "grandparent(X, Y) :- parent(X, Y)." in found["data"]["text/plain"]
    plain = python.client.inspect("len", 2, reply=True, timeout=PATIENCE)["content"]
    assert "len" in plain["data"]["text/plain"]


# -- the NeuralLog kernel -------------------------------------------------------------------------


def test_it_says_what_it_speaks(kernel):
    info = kernel.client.kernel_info(reply=True, timeout=PATIENCE)["content"]
    assert info["language_info"]["name"] == "neurallog"
    assert info["language_info"]["mimetype"] == "text/x-neurallog"


def test_every_cell_is_neurallog(kernel):
    ran = kernel.run(f"{FAMILY}\n% a comment\n%%also a comment\n{RULE}\n?- parent(ann, X).", "k")
    assert ran["reply"]["status"] == "ok"
    assert "bob" in ran["text"][-1]
    mixed = kernel.run("likes(ann, tea).\n%neurallog status likes\n?- likes(ann, X).", "m")
    assert [("likes/2" in t, "tea" in t) for t in mixed["text"][1:]] == [
        (True, False),
        (False, True),
    ]


def test_python_cells_share_the_session(kernel):
    kernel.run("likes(ann, tea).", "m")
    asked = kernel.run(
        "%%python\nimport neurallog_magics as nm\nnm.session().query('likes(X, tea)').weights",
        "p",
    )
    assert asked["text"] == ["{('ann',): 1.0}"]
    failed = kernel.run("%%python\n\n1 / 0", "p")
    traceback = re.sub(r"\x1b\[[0-9;]*m", "", "".join(failed["errors"][0]["traceback"]))
    assert "----> 3 1 / 0" in traceback
    code = "%%python\nx = nm.ses"
    found = kernel.client.complete(code, len(code), reply=True, timeout=PATIENCE)["content"]
    assert "session" in "".join(found["matches"])


def test_lines_count_from_the_first_line(kernel):
    failed = kernel.run("p(a).\nq(b", "e")
    assert failed["errors"][0]["traceback"][0].startswith(f"cell [{failed['number']}]:2:4: ")


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("p(a).", "complete"),
        ("p(X) :-", "incomplete"),
        ("p(X) :- q(X)", "incomplete"),
        ("p('a.", "incomplete"),
        ("/* p(a).", "incomplete"),
        ("for i in a b do\n p({i}).", "incomplete"),
        ("for i in a b do\n p({i}).\ndone", "complete"),
        ("%neurallog status", "complete"),
        ("%%python\nfor x in y:", "incomplete"),
        ("%%python\nx = 1", "complete"),
    ],
)
def test_is_complete(kernel, code, status):
    message = kernel.client.is_complete(code)
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        reply = kernel.client.get_shell_msg(timeout=PATIENCE)
        if reply["parent_header"].get("msg_id") == message:
            break
    assert reply["content"]["status"] == status


def test_it_completes_and_inspects(kernel):
    kernel.run(f"{FAMILY}\n{RULE}", "k")
    code = "?- grand"
    found = kernel.client.complete(code, len(code), reply=True, timeout=PATIENCE)["content"]
    assert found["matches"] == ["grandparent"]
    said = kernel.client.inspect("parent(ann, X).", 2, reply=True, timeout=PATIENCE)["content"]
    assert "parent/2: relation" in said["data"]["text/plain"]


def test_an_interrupt_keeps_the_state(kernel):
    kernel.run("kept(yes).", "keep")
    sent = kernel.send("%%python\nimport time\nprint('asleep')\ntime.sleep(600)", "sleep")
    kernel.until(sent, "stream")
    kernel.manager.interrupt_kernel()
    stopped = kernel.collect(sent)
    assert stopped["reply"]["status"] == "error"
    assert "yes" in kernel.run("?- kept(X).", "ask")["text"][-1]


DATABASE = """
import sys, threading, pathlib
sys.path.insert(0, {root!r})
from tests.engines.interrupted import ENDLESS, FEW, RUNG, Facts
facts = Facts()
facts.show(ENDLESS)
tell = lambda: (RUNG.wait(), pathlib.Path({file!r}).touch())
threading.Thread(target=tell).start()
"""


def test_an_interrupt_stops_a_statement_of_duckdb(python, tmp_path):
    pytest.importorskip("duckdb", reason="the extra tables, which brings DuckDB, is not installed")
    file = tmp_path / "begun"
    python.run(DATABASE.format(root=str(ROOT), file=str(file)), "database")
    sent = python.send("facts.session.query('g(u3, Y)')", "ask")
    deadline = time.monotonic() + PATIENCE
    while not file.exists():
        assert time.monotonic() < deadline, "the statement did not begin"
        time.sleep(0.05)
    python.manager.interrupt_kernel()
    assert [one["ename"] for one in python.collect(sent)["errors"]] == ["KeyboardInterrupt"]
    python.run("facts.show(FEW)", "again")
    assert python.run("len(facts.session.query('g(u3, Y)'))", "ask")["text"] == ["2"]


def test_the_kernelspec_is_what_jupyter_wants():
    spec = json.loads((ROOT / "magics/kernelspec/kernel.json").read_text(encoding="utf-8"))
    assert spec["argv"][:3] == ["python", "-m", "neurallog_magics.kernel"]
    assert spec["language"] == "neurallog"


# -- learning -------------------------------------------------------------------------------------

LEARNING = "p(a, b). p(b, c). p(c, d).\nlearn(w).\nq(X, Y) :- p(X, Y), w(Y)."


def test_training_is_one_output_and_an_interrupt_keeps_what_was_learned(python):
    python.run("%neurallog reset", "r")
    python.run(f"%%neurallog\n{LEARNING}", "rules")
    python.run("%%examples --set train\nq(a, b).\n0.0::q(b, c).", "train")
    assert python.run("import sys; 'tensorflow' in sys.modules", "tf")["text"] == ["False"]
    trained = python.run("%neurallog train --epochs 30 --learning-rate 0.5 --seed 3", "t")
    assert trained["streams"] == []
    (frame,) = trained["shown"]
    assert frame["text/plain"].startswith("Trained 30 epochs, ")
    assert frame["image/svg+xml"].count("<polyline") == 1 + 3  # the loss, and three weights
    assert '<img alt="curves of loss"' in frame["text/html"]
    assert python.run("_.epochs", "h")["text"] == ["30"]
    assert "roc_auc" in python.run("%neurallog evaluate train", "e")["text"][0]

    sent = python.send("%neurallog train --epochs 1000000 --resume", "t")
    python.until(sent, "update_display_data")
    python.manager.interrupt_kernel()
    stopped = python.collect(sent)
    assert stopped["reply"]["status"] == "ok"
    assert "Interrupted after epoch" in stopped["text"][0]
    assert "%neurallog train --resume --epochs" in stopped["text"][0]
    weights = python.run("%neurallog weights w", "w")["text"][0]
    assert "w(b)" in weights
    assert "Trained" in python.run("%neurallog train --resume --epochs 2", "t")["text"][0]


def test_a_training_with_a_checkpoint_goes_on_after_an_interrupt(python, tmp_path):
    python.run("%neurallog reset", "r")
    python.run("import neurallog_magics as nm", "i")
    python.run(f"%%neurallog\n{LEARNING}", "rules")
    python.run("%%examples --set train\nq(a, b).\n0.0::q(b, c).", "train")
    file = tmp_path / "run.nlz"
    train = f"%neurallog train --seed 3 --checkpoint {file} --epochs"
    sent = python.send(f"{train} 1000000", "t")
    deadline = time.monotonic() + PATIENCE
    while not file.exists():
        assert time.monotonic() < deadline, "no epoch came to its end"
        time.sleep(0.05)
    python.manager.interrupt_kernel()
    stopped = python.collect(sent)
    assert stopped["reply"]["status"] == "ok"
    found = re.search(r"Interrupted after epoch (\d+)", stopped["text"][0])
    assert found, stopped["text"]

    learned = python.run("nm.session().query('w(b)').weights[()]", "w")["text"]
    assert python.run("nm.session().query('q(a, b)').weights[()]", "q")["text"] == learned
    python.run(f"%%neurallog\n0.5::{LEARNING}", "rules")
    half = python.run("nm.session().query('q(a, b)').weights[()]", "q")["text"]
    assert float(half[0]) == pytest.approx(float(learned[0]) / 2)

    python.run(f"%%neurallog\n{LEARNING}", "rules")
    epochs = int(found[1]) + 2
    went_on = python.run(f"{train} {epochs}", "t")
    assert went_on["reply"]["status"] == "ok"
    assert went_on["text"][0].startswith(f"Trained {epochs} epochs")
    assert re.search(rf"continued after epoch \d+, from {re.escape(str(file))}", went_on["text"][1])


def test_save_and_open(python):
    answer = python.run("%neurallog ?- q(X, Y).", "a")["text"][0]
    assert "saved" in python.run("%neurallog save model.nlz", "s")["text"][0]
    python.run("%neurallog reset", "r")
    assert "q/2" in python.run("%neurallog open model.nlz", "o")["text"][0]
    assert python.run("%neurallog ?- q(X, Y).", "a")["text"][0] == answer
