"""Training in tests of the original's settings: without tracing, as in those of learning."""

from tests.learning.conftest import eager as eager
