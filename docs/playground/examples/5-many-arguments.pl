% A fact may have three places and more: who gave what to whom.
gave(ann, bob, book). gave(bob, cid, pen). 0.5::gave(ann, cid, cake).
kind(book, paper). kind(cake, food).

thanks(Y, X) :- gave(X, Y, _).
fed(X, Y)    :- gave(X, Y, What), kind(What, food).

?- gave(ann, Whom, What).
?- thanks(cid, Whom).
?- fed(ann, Whom).
