"""`coop`, as `python -m shapley_coop`."""

from shapley_coop.cli import main

if __name__ == "__main__":
    main()
