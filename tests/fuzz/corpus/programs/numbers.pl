age(ann, 41.5). age(bob, -.5e1). 2::age(cid, 1E2). pi(3.14159). pair(1, 2).
tall(X) :- age(X, A), tanh(A). grown(X) :- age(X, 41.5).
near(X, Y) :- knows(X, Y), age(X, A), sigmoid(A). knows(ann, bob). 0.25::knows(bob, cid).
?- tall(X). ?- age(ann, A). ?- near(X, bob).
