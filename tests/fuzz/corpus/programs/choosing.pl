e(a, b). 2::e(a, c). 0.5::e(a, d). e(b, c). size(b, 3). size(c, 4.5). size(d, -1).
big(X) :- e(X, Y), size(Y, S), at_least(S, 3), at_most(S, 4.5). best(X, Y) :- e(X, Y), normalize(Y).
best(X, Y) :- e(X, Z), e(Z, Y). learn_rule_weights(score). learn_rule_weights("best/2").
set_predicate_parameter("best/2", literal_combining_function, top_2).
0.25::score(X, Y) :- e(X, Y), size(Y, S), at_least(S, 0). -0.5::score(X, Y) :- best(X, Y), not big(X).
set_predicate_parameter("score/2", loss_function, mse). set_parameter(recursion_depth, 3).
?- best(a, Y). ?- score(a, Y). ?- big(X).
