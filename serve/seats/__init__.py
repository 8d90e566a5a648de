"""Parties over HTTP: their inbox, their routes, their deadlines."""
