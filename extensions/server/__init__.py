"""LangGraph's server, which serves many people and survives kills: routes, guards, and `coop dev`.

`langgraph.json` names `app`, `auth` and `checkpoints`. `serving` has their parts. Besides,
`known_keys` refuses misspelt keys, `recovery` restores threads that a killed server had not listed,
and `quarantine` ends runs that kill their server.
"""

from shapley_coop.extension import Extension

_HERE = "shapley_coop.extensions.server"

EXTENSION = Extension(
    name="server",
    about="LangGraph's server with all workflows, which checks its callers and survives a kill.",
    first=("dev",),
    guards={"server": f"{_HERE}.guard:GUARD"},
    commands={"Serve and show": {"dev": f"{_HERE}.dev:dev"}},
)
