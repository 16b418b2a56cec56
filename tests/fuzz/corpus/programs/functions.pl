e(a, b). 2::e(a, c). -1::e(b, c). u(a). u(b).
f(X, Y) :- e(X, Z), softmax(Z, Y). g(X) :- e(X, Y), exponential(Y), inverse(Y).
m(X) :- e(X, Y), mean(Y). s(X) :- e(X, Y), square_root(Y), sum(Y), count(X).
set_parameter(and_combining_function, minimum). set_parameter(path_combining_function, maximum).
set_parameter(any_aggregation_function, max). set_parameter(literal_combining_function, "tf.math.maximum").
?- f(a, Y). ?- g(X). ?- m(X).
