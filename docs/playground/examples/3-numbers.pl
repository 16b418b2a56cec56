% Ages are numbers: a rule multiplies by them, a function sums them up.
friends(ann, bob).   friends(ann, cid).   0.5::friends(ann, dot).
friends(bob, cid).   friends(cid, ann).
age(ann, 31).   age(bob, 20).   age(cid, 40).   age(dot, 60).

mean_age(X) :- friends(X, Y), age(Y, A), mean(A).

?- mean_age(ann).
?- mean_age(Who).
