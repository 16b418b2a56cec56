% facts of three arguments and more: names, numbers as names, repeated ones, negative weights
loan(ann, "War and Peace", 1999). 0.5::loan(bob, emma, 2001). -1::loan(bob, "War and Peace", 2001).
flight(ba1, rome, oslo, monday). 2::flight(ba2, oslo, rome, friday). same(a, a, a). same(a, b, a).
kind("War and Peace", novel). 0.3::kind(emma, novel). near(rome, oslo).
reader(X, K) :- loan(X, B, _), kind(B, K). late(X) :- loan(X, _, 2001). twice(X) :- same(X, Y, X).
trip(X, Y, D) :- flight(_, X, Y, D). back(X, Y) :- flight(F, X, Y, _), not near(X, Y).
two(X, Y, Z) :- trip(X, Y, D), trip(Y, Z, E). by_year(Y, B) :- loan(_, B, Y).
round(X, D) :- trip(X, X, D). there(X, Y) :- near(Y, Z), two(X, Y, X). ring :- trip(X, Y, _), near(Y, Z), two(Z, X, W), near(W, _).
learn("flight/4"). example(trip, rome, oslo, monday). 0::example(reader, bob, novel).
?- loan(bob, B, Y). ?- trip(rome, Y, D). ?- reader(X, novel). ?- two(X, oslo, Z). ?- same(a, _, a).
