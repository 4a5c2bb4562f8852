"""Boards that are variables: what each rule decides, proved within bounds."""
