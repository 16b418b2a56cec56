learn("w/1"). learn(b). learn(prefix, v_). v_1(a). 0.5::w(w1).
set_parameter(metrics, [a, "b", 1e-3]). set_parameter(loss_function, mse).
set_parameter(optimizer, config, learning_rate, 0.1). set_parameter(epochs, 5).
set_predicate_parameter(p, trainable_cells, all).
p(X, Y) :- e(X, Y), w(w1). p(X, Y) :- b(p). e(a, b). e(b, c).
example(p, a, b). 0::example(p, b, c). 0.5::mega_example(m1, p, a, X).
example_set(test). example(p, X, c). example_set(program).
learn_rule_weights("p/2"). 0.7::p(X, Y) :- e(X, Z), e(Z, Y).
?- p(a, Y).
