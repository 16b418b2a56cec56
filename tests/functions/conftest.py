"""The network in tests: as in those of learning, most of it without tracing."""

from tests.learning.conftest import eager as eager
