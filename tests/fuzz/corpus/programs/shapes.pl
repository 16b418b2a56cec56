e(a, b). e(b, a). e(b, c). e(c, c). u(b). t :- e(X, Y), u(Y). rain. 0.3::snow.
d(X) :- e(X, X). r(X, X) :- e(X, Y). c(X, a) :- e(X, b), rain. i(Y, X) :- e(X, Y).
s(X, Y, Z) :- e(X, Y), e(Y, Z). loop(X, Y) :- s(X, Z, Y), not s(Y, Z, X).
deep(X, Y) :- e(X, A), e(A, B), e(B, C), e(C, Y), u(B), not e(A, C), e(X, Y).
apart(X, Y) :- u(X), u(Y). neg(X, Y) :- not e(X, Y), not u(Y). set_parameter(recursion_depth, 2).
?- loop(X, Y). ?- s(a, Y, Z). ?- deep(X, Y). ?- t. ?- r(X, Y). ?- e(_, X).
