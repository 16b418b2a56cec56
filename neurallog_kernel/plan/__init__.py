"""Program and question to plan: an immutable expression graph."""
