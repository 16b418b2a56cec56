% a family, with weights, quotes and comments
parent(ann, bob). 0.5::parent(bob, "Carl-Otto"). parent('Carl-Otto', dee).
/* two
steps */ grandparent(X, Z) :- parent(X, Y), parent(Y, Z).
ancestor(X, Y) :- parent(X, Y).
ancestor(X, Z) :- parent(X, Y), ancestor(Y, Z).
set_predicate_parameter("ancestor/2", recursion_depth, 3).
0.7::odd(X) :- not parent(X, _), w(w1). # weighted
w(w1). h(X, Y) :- .
?- grandparent(ann, Who). ?- ancestor(X, Y). ?- odd(X).
