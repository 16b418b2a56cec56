"""Every attack of the corpus is refused, or does no harm."""

import pytest

from tests.attacks.corpus import attacks, outcome

ALL = {str(attack): attack for attack in attacks()}


@pytest.mark.parametrize("name", ALL)
def test_attack(name, tmp_path):
    assert outcome(ALL[name], tmp_path) == ""
