"""The command line: `python -m benchmarks` runs all benches, `python -m benchmarks start` one."""

from benchmarks.everything import main

if __name__ == "__main__":
    main()
