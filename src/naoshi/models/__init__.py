"""Asking models of any provider: which one, at which address, with which key, and what went wrong in one line."""
