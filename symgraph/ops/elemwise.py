"""Elementwise operators, a row each."""
