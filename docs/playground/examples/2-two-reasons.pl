% Two rules with one head are two reasons. Their weights are added.
likes(ann, jazz). likes(ann, tea).
likes(bob, jazz). likes(bob, tea). likes(bob, chess).
likes(cid, chess). likes(cid, tea).
0.9::friend(ann, cid).

0.5::might_like(X, Thing) :- friend(X, Y), likes(Y, Thing).
0.2::might_like(X, Thing) :- likes(X, A), likes(Y, A), likes(Y, Thing).

?- might_like(ann, What).
