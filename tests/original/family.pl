% Relations of families from those of parents and couples: the right rules and wrong ones, each with
% a learned weight. The settings are written as for the original.

set_parameter(inverse_relations, "False").
set_parameter(loss_function, mean_squared_error).
set_parameter(optimizer, class_name, adagrad).
set_parameter(optimizer, config, lr, 0.1).
set_parameter(epochs, 30).
set_parameter(batch_size, 4).
set_parameter(shuffle, "True").
set_parameter(validation_period, 1).
set_parameter(metrics, all, [mean_absolute_error, binary_accuracy]).
set_parameter("literal_negation_function:sparse", "literal_negation_function:sparse").
set_parameter(allow_sparse, "True").

set_parameter(callback, train_ranks, class_name, link_prediction_callback).
set_parameter(callback, train_ranks, config, dataset, train_set).
set_parameter(callback, train_ranks, config, period, 10).

set_parameter(callback, ranks, class_name, link_prediction_callback).
set_parameter(callback, ranks, config, dataset, validation_set).
set_parameter(callback, ranks, config, filtered, "True").
set_parameter(callback, ranks, config, top_k, 3).
set_parameter(callback, ranks, config, rank_method, pessimistic).

set_parameter(callback, area, class_name, roc_auc).
set_parameter(callback, area, config, dataset, validation_set).
set_parameter(callback, area, config, suffix, held_out).

set_parameter(callback, keep, class_name, "ModelCheckpoint").
set_parameter(callback, keep, config, monitor, mean_reciprocal_rank_validation_set).
set_parameter(callback, keep, config, save_best_only, "True").
set_parameter(best_model, keep, best_).

learn(w).
learn(b).

for Target in grandfather grandmother do
    {Target}(X, Y) :- parent(X, Z), parent(Z, Y), w({Target}_chain).
    {Target}(X, Y) :- male(X), parent(X, Z), parent(Z, Y), w({Target}_male).
    {Target}(X, Y) :- female(X), parent(X, Z), parent(Z, Y), w({Target}_female).
    {Target}(X, Y) :- parent(Y, Z), parent(Z, X), w({Target}_down).
    {Target}(X, Y) :- married(X, Z), parent(Z, Y), w({Target}_married).
    {Target}(X, Y) :- b({Target}).
done
aunt(X, Y) :- female(X), parent(Z, X), parent(Z, V), parent(V, Y), w(aunt_sister).
aunt(X, Y) :- parent(X, Y), w(aunt_parent).
aunt(X, Y) :- b(aunt).
