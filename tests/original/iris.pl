% A perceptron with one hidden layer as a logic program: a weight for each feature and unit, and a
% vector of weights over the classes for each unit. The settings are written as for the original.

set_parameter(dataset_class, default_dataset).
set_parameter(loss_function, class_name, categorical_crossentropy).
set_parameter(loss_function, config, from_logits, "False").
set_parameter(optimizer, class_name, adam).
set_parameter(optimizer, config, lr, 0.03).
set_parameter(optimizer, config, decay, 0.0005).
set_parameter(regularizer, class_name, l2).
set_parameter(regularizer, config, l, 0.0005).
set_parameter(metrics, all, accuracy).
set_parameter(batch_size, 15).
set_parameter(epochs, 100).
set_parameter(shuffle, "True").

set_parameter(initial_value, class_name, random_normal).
set_parameter(initial_value, config, mean, 0.0).
set_parameter(initial_value, config, stddev, 0.5).
set_predicate_parameter("class_bias/1", initial_value, zeros).

set_parameter(value_constraint, class_name, partial).
set_parameter(value_constraint, config, function_name, "tf.clip_by_value").
set_parameter(value_constraint, config, clip_value_min, -8.0).
set_parameter(value_constraint, config, clip_value_max, 8.0).

set_parameter(path_combining_function, class_name, "tf.math.multiply").
set_parameter("literal_negation_function:sparse", "literal_negation_function:sparse").
set_parameter(edge_neutral_element, class_name, "tf.constant").
set_parameter(edge_neutral_element, config, value, 1.0).
set_predicate_parameter("squash/1", function_value, class_name, tanh).

learn(prefix, w_).
learn(class_weight).
learn("class_bias/1").

for Unit in {1..6} do
    for Feature in sepal_length sepal_width petal_length petal_width do
        sum_{Unit}(X) :- {Feature}(X, A), w_{Feature}(unit_{Unit}).
    done
    sum_{Unit}(X) :- flower(X), w_bias(unit_{Unit}).
    unit_{Unit}(X) :- sum_{Unit}(X), squash(X).
    score(X, Class) :- unit_{Unit}(X), class_weight(unit_{Unit}, Class).
done
score(X, Class) :- flower(X), class_bias(Class).

iris(X, Class) :- score(X, Class), softmax(Class).
