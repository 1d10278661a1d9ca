"""The demo: the receipts agent, its documents and their generator, its people, its mender, and the report."""
