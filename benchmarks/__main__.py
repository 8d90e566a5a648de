"""`python -m benchmarks` runs them all; `python -m benchmarks cpu` one."""

from benchmarks.everything import main

if __name__ == "__main__":
    main()
