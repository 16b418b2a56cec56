"""Tables in: any door gives batches of columns, a mapping says which facts they are."""
