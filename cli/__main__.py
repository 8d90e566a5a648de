"""`python -m cli` is `coop`."""

from cli import main

main()
