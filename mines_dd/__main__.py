"""`python -m mines_dd`."""

from mines_dd.cli.main import main

main()
