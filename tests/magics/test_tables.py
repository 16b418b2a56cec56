"""Tables in the notebook: cells with `-i` and `--map`, and `%neurallog load`."""

import neurallog_magics

MAP = '[likes]\nfile = "likes.csv"\npattern = "likes(who, what)"\nweight = "w"\n'


def program() -> str:
    return neurallog_magics.session().program()


def write(folder, monkeypatch) -> None:
    monkeypatch.chdir(folder)
    (folder / "likes.csv").write_text("who,what,w\nann,tea,0.5\nBob,,1\nann,tea,0.5\n")
    (folder / "map.toml").write_text(MAP)


def test_a_cell_owns_its_tables(notebook, tmp_path, monkeypatch):
    write(tmp_path, monkeypatch)
    ran = notebook.neurallog("?- likes(ann, X).", "t", "-i likes=likes.csv --map map.toml")
    assert ran.result.weights == {("tea",): 0.5}
    assert "1 of 3 rows without a value in what left out, 1 row repeated" in ran.lines[0]
    notebook.run("rows = [('cid', 'ale')]")
    notebook.neurallog("drinks(X) :- likes(X, Y).", "t", '-i "likes(a, b)=rows"')
    assert "likes(cid, ale)." in program() and "tea" not in program()
    ran = notebook.neurallog("drinks(X) :- likes(X, Y).", "t", '-i "likes(a, b, c)=rows"')
    assert "2 columns for 3 places" in ran.out
    assert "likes(cid, ale)." in program()


def test_an_examples_cell_takes_tables(notebook):
    notebook.run("rows = [('cid', 'ale')]")
    notebook.run('%%examples --set test -i "likes(a, b)=rows"\n', "e")
    assert "test  likes(cid, ale)" in str(notebook.line("examples"))


def test_load_says_what_it_did_and_can_be_undone(notebook, tmp_path, monkeypatch):
    write(tmp_path, monkeypatch)
    note = str(notebook.line('load likes.csv --as "likes(who, what)" --weight w'))
    assert note.startswith("likes/2 from likes.csv: 3 rows, 1 fact, 1 duplicate, 1 skipped")
    assert "1 row without a value in what (the first: likes.csv, row 2 (line 3))" in note
    notebook.line('load likes.csv --as "likes(who, what)" --weight w')
    assert program().count("likes(ann, tea)") == 1
    notebook.line("undo")
    notebook.line("undo")
    assert program() == ""
    assert "1 fact" in str(notebook.line("load --map map.toml"))
    notebook.line("undo")
    assert program() == ""


def test_load_takes_examples_variables_and_program_text(notebook, tmp_path, monkeypatch):
    write(tmp_path, monkeypatch)
    notebook.run("rows = [('p%d' % (n % 5), 't%d' % n) for n in range(20)]")
    note = str(notebook.line('load rows --as "likes(a, b)" --split 0.5,0.5 --negatives 1 --seed 3'))
    assert note.startswith("examples of likes/2 from rows: 20 rows")
    assert "in train" in note and "in test" in note and "drawn as negative" in note
    (tmp_path / "rules.pl").write_text("drinks(X) :- likes(X, Y).\n")
    notebook.line("load rules.pl")
    assert "drinks(X) :- likes(X, Y)." in program()
