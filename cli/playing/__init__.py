"""Commands that play: `coop run`, `resume`, `answer`, `demo`, `list` and `new game`."""
