"""Engines of diagnosis behind one Protocol."""
