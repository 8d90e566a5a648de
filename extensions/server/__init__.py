"""Additions for a server that many people use and that may be killed: checks, and recovery.

`known_keys` refuses misspelt keys, `recovery` restores threads that a killed server had not listed,
and `quarantine` ends runs that kill their server.
"""

from shapley_coop.extension import Extension

EXTENSION = Extension(
    name="server",
    about="A server that refuses unknown keys, restores threads after a kill, and ends runs that "
    "kill it.",
    guards={"server": "shapley_coop.extensions.server.guard:GUARD"},
)
