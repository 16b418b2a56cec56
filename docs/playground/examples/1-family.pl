% A family. A number before :: says how sure we are.
parent(ada, ben).
parent(ada, cleo).
parent(ben, dan).
parent(cleo, eva).
0.8::parent(cleo, finn).

grandparent(X, Z) :- parent(X, Y), parent(Y, Z).

?- grandparent(ada, Who).
?- grandparent(Who, finn).
