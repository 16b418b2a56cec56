"""The rules of the paper, with a few facts each, so that their predicates are known."""

FIGURE_1 = "target(X, Y) :- p0(X, Z), p1(X, Z), p2(Z, Y), p3(X, V), p4(U, Y), p5(Z), w."

FACTS = """
p0(a, b). p0(a, c). p1(a, b). 0.5::p1(a, c). p2(b, d). p2(c, e). p3(a, v). 0.25::p3(a, r).
p4(u, d). p4(t, e). p5(b). 0.5::p5(c). 0.8::w. 0.1::bias.
friends(ann, bob). friends(bob, cid). age(ann, 30). age(bob, 40). 0.5::weight.
l1(ann). l1(bob). l10(ann).
taughtby2(k1, pat). ta2(k1, sam). hascourse(k1, logic). courselevel(logic, level_500).
inphase(sam, post_quals). publication(title1, sam). publication(title1, pat).
student(sam). professor(pat). hasposition(pat, faculty).
w(w1). w(w2). w(w3). w(w4). w(w5). w(w6). w(w7). w(w8). b(advisedby).
learn(w). learn(b). learn(bias). learn(l1). learn(l10).
"""

RULES = {
    "figure_1": FIGURE_1,
    "bias": "target(X, Y) :- bias.",
    "influence": "influence(X, Y) :- friends(X, Y), age(X, A), weight.",
    "mean_age": "mean_age_of_friends(X) :- friends(X, Y), age(Y, A), mean(A).",
    "cosine_h1": "h1(X, Y) :- l1(X), l1(Y).",
    "cosine_square_sum": "square_sum(X) :- l1(X), l1(X).",
    "cosine_norm": "norm(X) :- square_sum(X), square_root(X).",
    "cosine_num": "num(X, Y) :- h1(X, Y).",
    "cosine_den": "den(X, Y) :- norm(X), norm(Y).",
    "cosine_inv_den": "inv_den(X, Y) :- inv_den(X, Y), inverse(Y).",
    "cosine_similarity": "similarity(X, Y) :- num(X, Y), inv_den(X, Y).",
    "uwcse_1": "advisedby(X1, X2) :- taughtby2(K, X2), ta2(K, X1), hascourse(K, X3), "
    "courselevel(X3, X5), tanh(X2), w(w1).",
    "uwcse_2": "advisedby(X1, X2) :- taughtby2(K, X2), ta2(K, X1), inphase(X1, X5), tanh(X2), "
    "w(w2).",
    "uwcse_3": "advisedby(X1, X2) :- publication(X3, X1), publication(X3, X2), student(X1), "
    "professor(X2), tanh(X2), w(w3).",
    "uwcse_4": "advisedby(X1, X2) :- publication(X3, X1), publication(X3, X2), tanh(X2), w(w4).",
    "uwcse_5": "advisedby(X1, X2) :- publication(X3, X1), publication(X3, X2), student(X1), "
    "tanh(X2), w(w5).",
    "uwcse_6": "advisedby(X1, X2) :- student(X1), tanh(X2), w(w6).",
    "uwcse_7": "advisedby(X1, X2) :- professor(X2), hasposition(X2, X3), tanh(X2), w(w7).",
    "uwcse_8": "advisedby(X1, X2) :- professor(X2), tanh(X2), w(w8).",
    "uwcse_9": "advisedby(X1, X2) :- b(advisedby).",
}
