"""Answers in words and tables, as people read them."""
