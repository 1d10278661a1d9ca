"""What the evals have shown so far, as one HTML page: versions, categories, cases, and the latest verdict."""
