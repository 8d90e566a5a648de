"""The entry point of `python -m shapley_coop`, which is the command `coop`."""

from shapley_coop.cli import main

if __name__ == "__main__":
    main()
