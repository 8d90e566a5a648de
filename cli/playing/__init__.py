"""Commands for playing: `coop run`, `resume`, `answer`, `list` and `new game`."""
