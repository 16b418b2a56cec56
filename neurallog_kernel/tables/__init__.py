"""Tables in: a reader gives batches of columns, a mapping says which facts they are."""
