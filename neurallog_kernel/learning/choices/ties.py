"""Where an answer stands among others of equal weight: the rules that a user can name."""

EXPECTED = "expected"  # over random order of answers with equal weight
RANK_METHODS = ("optimistic", "pessimistic", "average")  # a place for each answer
TIE_RULES = (EXPECTED, *RANK_METHODS)
