"""The parameters that programs set and the options of `train`, with defaults from the code."""

from __future__ import annotations

from dataclasses import fields

from docs.reference.markdown import code, table
from neurallog_kernel.knowledge.parameters import DEFAULTS
from neurallog_kernel.knowledge.setting_checks import show_value
from neurallog_kernel.learning.choices.options import TrainOptions

NETWORK: dict[str, str] = {
    "recursion_depth": "How often a predicate may be opened again along a chain of calls; the next "
    "call is 0. `until_stable`: as often as it takes until the values stay.",
    "and_combining_function": "AND: how values that meet at a node are combined.",
    "path_combining_function": "How paths that end at the output are combined, and ground literals "
    "with them.",
    "edge_combining_function": "How a vector is combined with a unary literal or a constant.",
    "literal_combining_function": "OR: how the facts of a predicate and its rules are combined, "
    "pair by pair in their order.",
    "literal_negation_function": "What `not` does to a value.",
    "literal_negation_function:sparse": "Accepted for programs of the original and without effect: "
    "sparse and dense values have one negation.",
    "any_aggregation_function": "How the entities of a term that does not reach the output are "
    "summed up (`any`).",
    "attributes_combine_function": "How the two numbers of an all-numeric fact are combined.",
    "weighted_attribute_combining_function": "How the weight and the value of an attribute are "
    "combined.",
    "function_value": "Makes a predicate without clauses stand for this registered function; with "
    "`class_name` and `config` also `partial` of `tf.clip_by_value` and of the ways to combine.",
    "edge_combining_function_2d": "Matrix products; only the default has a meaning here.",
    "edge_combining_function_2d:sparse": "As above, for sparse matrices.",
    "edge_neutral_element": "The value of an edge without literals; only the default.",
    "invert_fact_function": "How facts are read backwards; only the default.",
    "invert_fact_function:sparse": "As above, for sparse matrices.",
    "output_extract_function": "How one entry of an answer is read; only the default.",
    "unary_literal_extraction_function": "How a unary target is read; only the default.",
    "allow_sparse": "Accepted for programs of the original and without effect: what is sparse "
    "here is decided by the data.",
    "avoid_constant": "Accepted for programs of the original and without effect.",
    "dataset_class": "Accepted for programs of the original and without effect: there is one way "
    "to read examples; mega examples are sequences without it.",
    "numeric": "Of a predicate with three and more arguments: a place, counted from 1, or a list "
    "of places, where numbers are numbers that rules multiply by, not names.",
}
"""What each parameter of the network does."""

TRAINING: dict[str, tuple[str, str]] = {
    "trainable_cells": (
        "facts",
        "Which cells of a learned binary predicate are trained: those with `facts`, or `all`. "
        "Without any fact it is all of them.",
    ),
    "initial_value": (
        "normal, by what the weights feed",
        "How weights without a fact begin: a Keras initializer by name, or `class_name` and "
        "`config` below it, or a number. The default has mean 0.5, deviation 0.125 where nothing "
        "is summed, is smaller where much is, and has the mean 0 for numbers of entities and for "
        "biases where a function such as `tanh` follows.",
    ),
    "start_from": (
        "facts",
        "Where weights with a fact begin: at the weights of the `facts`, or as `initial_value` "
        "says. What was learned before is never drawn again.",
    ),
    "value_constraint": (
        "none",
        "A function of single entries applied to the weights after each step: registered, or "
        "`partial` of `tf.clip_by_value`, as in the example above.",
    ),
    "unlisted": (
        "false",
        "What an output counts as that no example lists: `false` (closed world) or `unknown`.",
    ),
    "inverse_relations": ("False", "Learn every binary target in both directions."),
    "loss_function": (
        "mean_squared_error",
        "A Keras loss, `logistic` (for outputs of tanh), `pairwise_ranking` or `softmax_ranking` "
        "(for the order of answers); for one target, `set_predicate_parameter` or the target's "
        "name below it. `crf` is a loss of [whole sequences](sequences.md#crf).",
    ),
    "transition_predicate": (
        "none",
        "The binary predicate that weighs a label and the next one, for the loss `crf` and for "
        "`decode`.",
    ),
    "initial_predicate": (
        "none",
        "The unary predicate that weighs the first label of a sequence, for the same two.",
    ),
    "metrics": (
        "",
        "Keras metrics shown in training, beside the loss, over the listed examples; also "
        "`roc_auc`, `average_precision`, `brier` and `log_loss`. `accuracy` is chosen as in Keras: "
        "whether an output is above a half (`binary_accuracy`), or, with a loss of whole rows such "
        "as `categorical_crossentropy`, whether the highest output is the right one.",
    ),
    "optimizer": (
        "sgd",
        "A Keras optimizer by name, or `class_name` and `config` below it; the old names `lr` and "
        "`decay` are understood.",
    ),
    "backend": (
        "",
        "What computes the training: `numpy` or `tensorflow`. Without it, NumPy where the training "
        "is small and NumPy has all of its parts; the report says which one ran, and why.",
    ),
    "learning_rate": ("the optimizer's", "The step of the optimizer."),
    "schedule": (
        "constant",
        "How the learning rate goes on from epoch to epoch: `constant`, `cosine`, `linear` (both "
        "down to 0 at the end), or `plateau` (halved after five epochs without improvement).",
    ),
    "warm_up": ("0", "Epochs in which the learning rate grows to its full value."),
    "clip_norm": ("", "The gradients of a step that are longer than this together are shortened."),
    "average": (
        "",
        "Training ends with the mean of the weights after the last epochs, such as the last half "
        "with 0.5.",
    ),
    "seeds": (
        "1",
        "Members of an ensemble, trained from this seed and the next ones; answers are means.",
    ),
    "restarts": (
        "1",
        "Trainings from other start weights; the one with the lowest training loss is kept.",
    ),
    "hold_out": (
        "",
        "The share of the training examples that is not learned from and validates instead, where "
        "there is no validation set.",
    ),
    "groups": (
        "connected",
        "Which held-out examples stay together: `connected` (they share entities), `subject` (the "
        "same first argument), `example` (each by itself), or a predicate such as `school/2`.",
    ),
    "positive_weight": (
        "1",
        "How often the loss of a true example counts; `balanced`: all true ones count as much as "
        "all false ones.",
    ),
    "anchor": (
        "",
        "A penalty on the squared distance of all learned weights from those that the training "
        "begins with. Where examples say little, weights stay what the program says.",
    ),
    "calibration": (
        "",
        "Of a predicate, what makes probabilities of its weights: `temperature` and `centre` below "
        "it, or the lists `weights` and `probabilities`. `calibrate` writes it.",
    ),
    "regularizer": ("none", "`l1`, `l2` or `l1_l2`; counts once for each learned predicate."),
    "batch_size": ("1", "How many inputs a step takes; a mega example counts as one."),
    "epochs": ("10", "How many times through the examples."),
    "shuffle": ("False", "Draw the batches in a new order in each epoch."),
    "question_budget": (
        "1000000000",
        "`check` names the predicates of which a question goes through more entries than this.",
    ),
    "validation_period": ("1", "Look at the validation set after so many epochs."),
    "mask_predictions": ("False", "Leave predictions out where the label is 0 (labels 1 and -1)."),
    "clip_labels": ("False", "Clip labels to 0 and 1 after masking."),
    "callback": (
        "",
        "Under a name of your choice, `class_name` and `config`: `link_prediction_callback` "
        "(`dataset`, `top_k`, `filtered`, `rank_method`, `period`, `suffix`), `roc_auc` (also with "
        "`dataset`, `suffix`, `period`), `EarlyStopping` (`monitor`, `patience`, `mode`, "
        "`restore_best_weights`), `ModelCheckpoint` (`monitor`, `mode`). A dataset is `train_set`, "
        "`validation_set`, `test_set` or the name of a set.",
    ),
    "best_model": (
        "",
        "The name of a `ModelCheckpoint`: training ends with the weights of its best epoch. The "
        "value begins the names of the files that `neurallog train -o` writes.",
    ),
}
"""The default and the meaning of each parameter of learning."""

OPTIONS: dict[str, str] = {
    "examples": "The set to learn from; `train` where there is one, else the examples in the "
    "program.",
    "validation": "The set to look at after each epoch.",
    "epochs": "How many times through the examples.",
    "batch_size": "How many inputs a step takes; a mega example counts as one.",
    "optimizer": "A Keras optimizer by name, or a dictionary with `class_name` and its settings.",
    "backend": "What computes it: `numpy` or `tensorflow`; without it, NumPy for small trainings.",
    "learning_rate": "The optimizer's step.",
    "schedule": "How the rate goes on: `constant`, `cosine`, `linear` or `plateau`.",
    "warm_up": "Epochs in which the rate grows to its full value.",
    "clip_norm": "Gradients of a step that are longer together are shortened to this.",
    "average": "The share of the last epochs whose weights are averaged.",
    "loss": "A loss by name, a Keras loss or a function of labels and predictions, or a "
    "dictionary with one for each target.",
    "positive_weight": "How often the loss of a true example counts, or `balanced`.",
    "regularizer": "`l1`, `l2` or `l1_l2`, for all learned predicates, or a dictionary with "
    "`class_name` and its settings.",
    "unlisted": "`false` or `unknown`: what an output counts as that no example lists.",
    "negatives": "Draw about so many negative examples for each subject; `unlisted` is then "
    "`unknown` unless said otherwise.",
    "shuffle": "Draw the batches in a new order in each epoch.",
    "seed": "Of every random choice; the same seed gives the same weights.",
    "seeds": "Members of an ensemble, from this seed and the next ones; answers are their means, "
    "with a spread.",
    "restarts": "Trainings from other start weights; the lowest training loss is kept. What was "
    "learned before is not used.",
    "dtype": "`float32` or `float64`.",
    "patience": "Stop after so many epochs without improvement.",
    "keep_best": "End with the weights of the best epoch, not of the last.",
    "hold_out": "The share of the training examples to validate with instead.",
    "groups": "Which held-out examples stay together: `connected`, `subject`, `example` or a "
    "predicate.",
    "monitor": "What best means: `loss`, `val_loss`, or a metric.",
    "mode": "`min` or `max`: which way `monitor` is better. Losses and metrics by name say it "
    "themselves; your own function does where it has an attribute `mode`.",
    "metrics": "Names of metrics instead of the program's, or functions of labels and predictions.",
    "anchor": "A penalty on the squared distance of the weights from those of the start.",
    "workers": "Addresses of other processes (`host:port,host:port`) that have a share of the "
    "examples; see [several processes](python.md#several-processes). A program cannot set it: it "
    "opens no connections.",
    "inverse_relations": "Learn every binary target in both directions.",
}
"""What each option of `Session.train` does."""


def network_parameters() -> str:
    """The parameters of the network, with their defaults."""
    rows = []
    for name, said in NETWORK.items():
        default = DEFAULTS.get(name)
        rows.append([code(name), "" if default is None else code(show_value(default)), said])
    return table(("parameter", "default", "what it does"), rows) + "\n"


def training_parameters() -> str:
    """The parameters of learning, with their defaults."""
    rows = [[code(name), default, said] for name, (default, said) in TRAINING.items()]
    return table(("parameter", "default", "what it does"), rows) + "\n"


def train_options() -> str:
    """The options of `Session.train`, in the order of their declaration."""
    rows = []
    for field in fields(TrainOptions):
        kind = str(field.type).replace(" | None", "")
        rows.append([code(field.name), code(kind), OPTIONS.get(field.name, "")])
    return table(("option", "type", "what it does"), rows) + "\n"
