"""What is measured, a module each; importing this registers the rows in the order of the table."""

from importlib import import_module

MODULES = (
    "epochs",
    "parsing",
    "ten_epochs",
    "ensembles",
    "neuralogic",
    "editing",
    "queries",
    "ranking",
    "recursion",
    "first_training",
    "engines_score",
    "engines_equal",
    "engines_large",
    "induction",
    "wide_facts",
    "large",
    "tables",
    "notebook",
    "growth",
    "problog",
    "recursive_sql",
    "answer_sets",
    "explaining",
    "pictures",
    "living",
    "soak",
)

for _name in MODULES:
    import_module(f"{__name__}.{_name}")
