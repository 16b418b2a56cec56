% A full stop ends each fact, each rule and each question.
parent(ann, bob).
parent(bob, cid).

?- parent(ann, Who).
