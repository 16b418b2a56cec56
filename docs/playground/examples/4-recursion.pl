% A rule may use its own head. Each step costs a little.
link(home, forest). link(forest, lake). link(lake, mountain). link(home, village).

reach(X, Y) :- link(X, Y).
0.5::reach(X, Z) :- link(X, Y), reach(Y, Z).

% How many times the rule may use itself:
set_predicate_parameter("reach/2", recursion_depth, 4).

?- reach(home, Where).
