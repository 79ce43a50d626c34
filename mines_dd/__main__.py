"""`python -m mines_dd`."""

from mines_dd.cli import main

main()
