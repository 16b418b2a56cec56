"""The commands, their help and completion, the settings, and what Shift-Tab says."""

import inspect

import pytest

import neurallog_magics
from neurallog_kernel import NeuralLogError, Session
from neurallog_kernel.learning.choices.keywords import TrainKeywords
from neurallog_magics.commands import COMMANDS
from neurallog_magics.completion import complete
from neurallog_magics.extension import load
from neurallog_magics.inspection import describe

PROGRAM = """
parent(ann, bob). 0.5::parent(bob, cid). age(ann, 50). likes(ann, apples).
grandparent(X, Z) :- parent(X, Y), parent(Y, Z).
learn(parent).
"""


@pytest.fixture
def filled(notebook):
    notebook.neurallog(PROGRAM, "one")
    return notebook


def test_every_command_of_the_issue_is_there():
    wanted = (
        "query status program rules functions train evaluate examples weights save open load reset "
        "undo show explore live"
    )
    assert set(wanted.split()) <= set(COMMANDS)


def test_train_has_every_option_of_the_session():
    """What only Python can give is no option: functions, and dictionaries of settings."""
    called = set(inspect.signature(Session.train).parameters) - {"self", "callbacks", "options"}
    wanted = {*called, *TrainKeywords.__annotations__}
    flags = {flag.removeprefix("--").replace("-", "_") for flag in COMMANDS["train"].flags}
    assert wanted - flags == set()


def test_a_training_that_python_calls_is_shown_as_well(notebook, tmp_path):
    pytest.importorskip("tensorflow")
    notebook.neurallog("p(a, b). learn(w). q(X, Y) :- p(X, Y), w(k). example(q, a, b).", "one")
    folder = tmp_path / "events"
    trained = f"session.train(epochs=2, tensorboard={str(folder)!r})"
    ran = notebook.run(
        f"import neurallog_magics\nsession = neurallog_magics.session()\nh = {trained}"
    )
    assert ran.error is None
    (line,) = ran.lines
    assert line.startswith("Trained 2 epochs")
    assert [file.name.split(".")[0] for file in folder.iterdir()] == ["events"]
    assert "run 1: 2 epochs" in str(neurallog_magics.session().runs)
    assert notebook.line("runs").rows[0][0] == "1"
    with pytest.raises(NeuralLogError, match="there is no run 4"):
        neurallog_magics.session().back_to(4)


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_help_comes_from_the_declaration(notebook, name):
    text = str(notebook.line(f"{name} --help"))
    assert text.startswith(f"usage: %neurallog {name}")
    assert COMMANDS[name].summary.split()[0] in text
    for flag in COMMANDS[name].flags:
        assert flag in text


def test_help_of_the_magics(notebook):
    assert "COMMAND --help" in str(notebook.line("--help"))
    ran = notebook.run("%%neurallog --help\np(a).")
    assert "--append" in str(ran.result)
    assert neurallog_magics.session().program() == ""
    assert "--set" in notebook.shell.magics_manager.magics["cell"]["examples"].__doc__


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("statsu", "did you mean status?"),
        ("xyzzy", "known: query, status"),
        ("train --epoch 3", "did you mean --epochs?"),
        ("train --xyzzy", "known: --epochs"),
        ("train --epochs many", "many is not a whole number"),
        ("save", "required: PATH"),
        ("query", "query what?"),
        ("rules grandpa", "did you mean grandparent/2?"),
        ("status parnt", "did you mean parent/2?"),
        ("functions tan", "did you mean tanh?"),
        ("load nowhere.pl", "No such file"),
    ],
)
def test_mistakes_are_explained(filled, line, said):
    ran = filled.run(f"%neurallog {line}")
    assert isinstance(ran.error, NeuralLogError)
    assert said in ran.out
    assert "Traceback" not in ran.out


def test_status(filled):
    table = str(filled.line("status"))
    assert "session main: 4 predicates" in table
    assert "parent/2       relation, learned  t" in table
    assert "attribute" in table
    assert "cell [1]" in table
    assert "age/2" not in str(filled.line("status parent"))
    filled.run("%%examples --set test\nexample(parent, ann, bob). parent(bob, ann).", "two")
    assert "examples: test 2" in str(filled.line("status"))


def test_program_by_source(filled):
    filled.neurallog("p(a).", "two", "--name other")
    assert str(filled.line("program --source other")) == "% other\np(a)."
    assert str(filled.line("program")).startswith("% cell [1]\nlearn(parent).")


def test_rules_functions_and_weights(filled):
    assert "grandparent(X, Z) :- parent(X, Y), parent(Y, Z)." in str(filled.line("rules"))
    assert "tanh(0.5) = 0.4621" in str(filled.line("functions"))
    assert "mean[0.5, -1, 0, 2] = 0.5" in str(filled.line("functions mean"))
    assert "parent(bob, cid)     0.5" in str(filled.line("weights parent"))


def test_weights_of_all_learned_predicates(filled):
    said = str(filled.line("weights"))
    assert said == str(filled.line("weights parent"))
    filled.neurallog("learn(w). 0.3::w(one).", "two")
    said = str(filled.line("weights"))
    assert "parent/2, w/1: 3 learned weights" in said
    assert "parent(bob, cid)     0.5" in said
    assert "w(one)               0.3" in said


def test_weights_without_anything_learned(notebook):
    notebook.neurallog("p(a).")
    ran = notebook.run("%neurallog weights")
    assert "no predicate has learned weights" in ran.out
    assert "name a predicate" in ran.out


def test_query_forms(filled):
    expected = {("cid",): 0.5}
    for text in ("query parent(bob, X)", "query ?- parent(bob, X).", "?- parent(bob, X)."):
        assert filled.line(text).weights == expected
    assert len(filled.line("query --top 1 parent(X, Y)")) == 1
    notebook = filled.neurallog('likes("Ann B.", "x  y").', "quoted")
    assert notebook.error is None
    assert filled.line('query likes("Ann B.", X)').weights == {("x  y",): 1.0}


def test_load_and_reset(filled, tmp_path):
    file = tmp_path / "my facts.pl"
    file.write_text("q(a).\n", encoding="utf-8")
    assert str(filled.line(f'load "{file}"')).startswith("+1 fact")
    assert filled.line("query q(X)").weights == {("a",): 1.0}
    filled.line("undo")
    with pytest.raises(NeuralLogError):
        filled.line("query q(X)")
    filled.line("reset")
    assert neurallog_magics.session().program() == ""


def test_show_draws_a_rule(filled):
    assert "grandparent(X, Z)" in str(filled.line("show grandparent"))
    assert "parent" in str(filled.line("show grandparent --kind tree --output 1"))


def test_settings_are_checked_and_reach_every_session(filled):
    filled.run("%config NeuralLog.recursion_depth = 3")
    filled.neurallog("p(a).", "x", "--session second")
    assert neurallog_magics.session().settings() == {"recursion_depth": "3"}
    assert neurallog_magics.session("second").settings() == {"recursion_depth": "3"}
    filled.run("%config NeuralLog.recursion_depth = -1")  # refused, in IPython's way
    assert neurallog_magics.session().settings() == {"recursion_depth": "3"}
    filled.run("%config NeuralLog.recursion_depth = None")
    assert neurallog_magics.session().settings() == {}
    filled.run("%config NeuralLog.quiet = True")
    assert filled.neurallog("q(b).", "y").lines == []
    filled.run("%config NeuralLog.strict = True")
    assert filled.neurallog("r(X) :- nothing(X).", "z").error is not None
    filled.run("%config NeuralLog.session = 'second'")
    assert filled.line("query p(X)").weights == {("a",): 1.0}


# -- completion -----------------------------------------------------------------------------------


def offered(notebook, text: str) -> list[str]:
    found = complete(load(notebook.shell).magics.context, text, len(text))
    return [] if found is None else [one.text for one in found[1]]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("%%neurallog\ngrand", ["grandparent"]),
        ("%%neurallog\n?- pa", ["parent"]),
        ("%%neurallog\np(X) :- sig", ["sigmoid"]),
        ("%%neurallog\nset_pa", ["set_parameter"]),
        ("%%neurallog\nset_parameter(recur", ["recursion_depth"]),
        ("%%neurallog\nset_predicate_parameter(parent, initial_v", ["initial_value"]),
        ("%%neurallog\nlearn(gra", ["grandparent"]),
        ("%%neurallog\nexample_s", ["example_set"]),
        ("%%neurallog\nexample_set(t", ["test", "train"]),
        ("%%neurallog\n?- parent(a", ["ann", "apples"]),
        ("%%neurallog\n?- likes(ann, a", ["apples", "ann"]),
        ("%%neurallog\n?- likes('a, b. c(', a", ["apples", "ann"]),
        ("%%neurallog\np('a. b', Xylo) :- q(X), sig", ["sigmoid"]),
        ("%%neurallog\np('a. b', Xylo) :- q(Xy", ["Xylo"]),
        ("%%neurallog\nh(Xylo, Y) :- parent(Xy", ["Xylo"]),
        ("%%neurallog\np(a). % learn(parent). gr\ngr", ["grandparent"]),
        ("%%examples --s", ["--set", "--session"]),
        ("%%examples --set t", ["test", "train"]),
        ("%neurallog st", ["status"]),
        ("%neurallog train --ep", ["--epochs"]),
        ("%neurallog status gr", ["grandparent/2"]),
        ("%neurallog functions tan", ["tanh"]),
        ("%neurallog show p --kind t", ["tree", "types"]),
        (
            "%neurallog train --optimizer ada",
            ["adam", "adagrad", "adadelta", "adafactor", "adam_w", "adamax"],
        ),
        ("%neurallog train --regularizer ", ["l1", "l2", "l1_l2"]),
        ("%neurallog query grandp", ["grandparent"]),
        ("x = grand", []),
    ],
)
def test_completion(filled, text, names):
    assert offered(filled, text) == names


def test_completion_says_what_a_name_is(filled):
    text = "%%neurallog\ngrand"
    fragment, (one,) = complete(load(filled.shell).magics.context, text, len(text))
    assert (fragment, one.text, one.type) == ("grand", "grandparent", "predicate grandparent/2")


@pytest.mark.filterwarnings("ignore::IPython.core.completer.ProvisionalCompleterWarning")
def test_completion_through_the_shell(filled):
    text = "%%neurallog\n?- grand"
    found = list(filled.shell.Completer.completions(text, len(text)))
    assert [(one.text, text[one.start : one.end]) for one in found] == [("grandparent", "grand")]


@pytest.mark.parametrize(
    ("text", "word", "said"),
    [
        ("%%neurallog\n?- grandparent(a, X).", "grandp", "grandparent/2: relation"),
        ("%%neurallog\n?- parent(ann, X).", "ann, ", "parent/2: relation, learned"),
        ("%%neurallog\nh(X) :- sigmoid(X).", "sigmoid", "1 / (1 + e^-x)"),
        ("%%neurallog\nlearn(p).", "lea", "weights of p are learned"),
        ("%%neurallog\nexample_set(test).", "example_se", "examples below it"),
        ("%%neurallog\nset_parameter(epochs, 3).", "epo", "epochs: parameter"),
        ("%neurallog train --epochs 3", "trai", "how many times"),
    ],
)
def test_inspection(filled, text, word, said):
    place = text.index(word) + len(word)
    assert said in describe(load(filled.shell).magics.context, text, place)


def test_inspection_leaves_python_alone(filled):
    assert describe(load(filled.shell).magics.context, "parent = 1", 3) is None


def test_results_go_to_files(filled, tmp_path):
    note = filled.line(f"query --to {tmp_path}/answers.csv grandparent(ann, Who)")
    assert str(note) == f"{tmp_path}/answers.csv: 1 row"
    assert (tmp_path / "answers.csv").read_text("utf-8") == "Who,weight\ncid,0.5\n"
    filled.line(f"weights parent --to {tmp_path}/weights.json")
    assert '"argument_1": "bob"' in (tmp_path / "weights.json").read_text("utf-8")
    filled.line(f"program --to {tmp_path}/program.pl")
    assert "grandparent(X, Z) :-" in (tmp_path / "program.pl").read_text("utf-8")
    note = filled.line(f"export age/2 --weights {tmp_path}/age.tsv --program {tmp_path}/again.pl")
    assert "age.tsv: 1 row" in str(note)
    assert (tmp_path / "age.tsv").read_text("utf-8").endswith("ann\t50.0\t1.0\tFalse\n")
    with pytest.raises(NeuralLogError, match="nothing to export"):
        filled.line("export parent")


def test_a_reset_can_be_undone(filled):
    assert "undo" in str(filled.line("reset"))
    assert neurallog_magics.session().sources == ()
    assert "took back the reset" in str(filled.line("undo"))
    assert neurallog_magics.session().query("parent(ann, bob)").weight == 1.0


def test_options_may_stand_after_a_question(filled):
    filled.neurallog("parent(eve, dan).", "two", "--session other")
    before = filled.line("query --session other parent(eve, Y)")
    after = filled.line("query parent(eve, Y) --session other")
    assert before.weights == after.weights == {("dan",): 1.0}
    assert len(filled.line("query parent(X, Y) --top 1")) == 1


@pytest.mark.parametrize(
    "line", ["--session other ?- parent(eve, W).", "--session=other query parent(eve, W)"]
)
def test_the_session_may_come_first(filled, line):
    filled.neurallog("parent(eve, dan).", "two", "--session other")
    assert filled.line(line).weights == {("dan",): 1.0}


@pytest.mark.parametrize("command", ["explain", "xray", "sensitivity", "diff", "query", "live"])
def test_names_are_completed_in_questions(filled, command):
    text = f"%neurallog {command} parent(an"
    _, found = complete(load(filled.shell).magics.context, text, len(text))
    assert [one.text for one in found] == ["ann"]


@pytest.mark.parametrize("text", ["%neurallog diff ", "%neurallog ?- ", "%%neurallog\n?- "])
def test_a_question_begins_with_a_predicate(filled, text):
    session = neurallog_magics.session()
    names = {one.name.partition("/")[0] for one in session.predicates()}
    assert set(offered(filled, text)) == names


def test_names_of_every_place_are_completed(filled):
    """A number is a name where there are three places and more, and only there."""
    filled.neurallog("enrolled(ann, logic, 2024). enrolled(ann, music, 2023). age(ann, 31).", "e")
    assert offered(filled, "%%neurallog\n?- enrolled(ann, ")[:2] == ["logic", "music"]
    assert offered(filled, "%%neurallog\n?- enrolled(ann, logic, ")[:2] == ["2023", "2024"]
    assert offered(filled, "%%neurallog\n?- enrolled(ann, logic, 202") == ["2023", "2024"]
    assert offered(filled, "%%neurallog\n?- age(ann, 20") == []
    assert "2024" not in offered(filled, "%%neurallog\n?- parent(")


def test_values_of_options_are_completed(filled):
    text = "%neurallog train --schedule co"
    _, found = complete(load(filled.shell).magics.context, text, len(text))
    assert [one.text for one in found] == ["constant", "cosine"]


def test_a_misspelt_predicate_in_examples_is_noticed(filled):
    ran = filled.run("%%examples\ngrandparnet(ann, cid).", "examples")
    assert any("grandparnet/2 has examples" in line for line in ran.lines)
    assert any("did you mean grandparent/2?" in line for line in ran.lines)


def test_a_zero_that_waits_for_training_says_so(notebook):
    ran = notebook.neurallog("learn(w). p(a, b). q(X, Y) :- p(X, Y), w(k).\n?- q(a, b).", "one")
    assert any("w/1 is learned and has no weight yet" in line for line in ran.lines)


def test_many_rules_are_capped_as_a_network_is(notebook):
    rules = " ".join(f"q(X, Y) :- p{i}(X, Y)." for i in range(12))
    notebook.neurallog(" ".join(f"p{i}(a, b)." for i in range(12)) + rules, "one")
    ran = notebook.run("%neurallog show q/2")
    assert "showing 10 of 12 rules; q/2:11 names the next" in str(ran.result)


def test_the_change_of_an_answer_is_a_command(filled):
    filled.neurallog("0.4::parent(ann, eve).", "two")
    said = str(filled.line("explain parent(ann, Y) --change"))
    assert "parent(ann, bob) is first, with 1: what would change it" in said
    assert "above 1" in said and "parent(ann, eve)" in said


def test_a_difference_is_a_table(filled):
    filled.neurallog("0.25::parent(ann, bob).", "two")
    table = filled.line("diff grandparent(ann, Y)")
    assert table.rows[0][:4] == ("grandparent(ann, cid)", "0.5", "0.125", "-0.375")
