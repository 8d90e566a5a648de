"""The seats of people over HTTP: inbox, routes and deadlines."""
