for i in {0..2} do
  p_{i}(a, "n {i}"). for v in red 'dark blue' do q_{i}(X) :- p_{i}(X, {v}). done
done
any(X) :- p_{k}(X, Y), u({k}). u(0). u(1).
h(X) :- q_{i}(X), g({i}).
both(X, Y) :- p_{i}(X, Z), p_{j}(Y, Z).
?- any(X). ?- both(a, Y).
