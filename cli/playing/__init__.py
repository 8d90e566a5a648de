"""Commands for playing: `coop run`, `resume`, `answer`, `demo`, `list` and `new game`."""
