"""People's seats over HTTP: inbox, routes, deadlines."""
