% The rule of the paper's Figure 1. The picture in the README is made from it, in Python:
%   session.load("docs/figure1.pl")
%   neurallog_magics.display.draw.draw(session, "target/2", "rule", "docs/figure1.svg")
target(X, Y) :- p0(X, Z), p1(X, Z), p2(Z, Y), p3(X, V), p4(U, Y), p5(Z), w.

p0(a, b). p0(a, c). p1(a, b). 0.5::p1(a, c). p2(b, d). p2(c, e). p3(a, v). 0.25::p3(a, r).
p4(u, d). p4(t, e). p5(b). 0.5::p5(c). 0.8::w.

learn(w).
