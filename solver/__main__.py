"""`python -m solver` is the command `lethal`."""

from solver.cli import main

main()
