"""The loop: the ordered stages, one durable cycle of them, and the people who are asked on the way."""
