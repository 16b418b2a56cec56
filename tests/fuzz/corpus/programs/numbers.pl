age(ann, 41.5). age(bob, -.5e1). 2::age(cid, 1E2). pi(3.14159). pair(1, 2).
tall(X) :- age(X, A), tanh(A). grown(X) :- age(X, 41.5).
near(X, Y) :- knows(X, Y), age(X, A), sigmoid(A). knows(ann, bob). 0.25::knows(bob, cid).
?- tall(X). ?- age(ann, A). ?- near(X, bob).
old(X) :- age(X, A), at_least(A, 41), at_most(A, 1e2). ?- old(X).
price(ann, pen, 3). 0.5::price(ann, ink, 4.5). price(bob, pen, -2). price(ann, pen, 7).
set_predicate_parameter("price/3", numeric, 3).
paid(X) :- price(X, Y, P), tanh(P).
cheap(X, Y) :- price(X, Y, 3).
both(X, Z) :- price(X, Y, A), price(Z, Y, B), gave(X, Z, Y).
gave(ann, bob, pen). 0.5::gave(bob, ann, ink). gave(cy, cy, 2024).
got(Y, Z) :- gave(X, Y, Z), not gave(Y, X, Z).
