"""Results and models out: tables of weights, embeddings, Keras models and SavedModels."""
