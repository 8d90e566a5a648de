"""`python -m shapley_coop` is `coop`."""

from shapley_coop.cli import main

main()
