"""A sequence labeller: parts of speech of sentences from a small grammar, ours beside others."""
