% This program has a mistake. Read the message, then mend it.
parent(ann, bob)
parent(bob, cid).

?- parent(ann, Who).
