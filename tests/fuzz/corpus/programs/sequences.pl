tag_of(the, det). tag_of(dogs, noun). tag_of(run, noun). tag_of(run, verb). next(det, noun). 0.2::next(noun, verb).
learn("score/2"). learn(follow). tag(W, T) :- score(W, T). tag(W, T) :- tag_of(W, T), b(bias).
set_predicate_parameter("tag/2", loss_function, crf). set_parameter(batch_size, 2). 0.1::b(bias).
mega_example(s1, tag, the, det). mega_example(s1, tag, run, noun). 0::mega_example(s1, tag, run, verb).
example_set(validation). mega_example(s2, tag, dogs, noun). mega_example(s2, tag, run, T).
example_set(test). 0.5::mega_example("s 3", tag, run, verb). example(tag, the, det). example_set(program).
?- tag(run, T). ?- tag(X, Y).
