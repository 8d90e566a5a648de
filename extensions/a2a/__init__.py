"""Both sides of Agent2Agent (A2A): remote agents at local seats, and a server for guest agents."""

from shapley_coop.extension import Extension

_HERE = "shapley_coop.extensions.a2a"

EXTENSION = Extension(
    name="a2a",
    about="Agents on other machines take seats, and assess or are assessed, over A2A.",
    seats={"a2a": f"{_HERE}.asking:PROVIDER"},
    routes={"table": f"{_HERE}.serving.routes:table_routes"},
    callers={"/table/.well-known/agent-card.json": "anybody", "/table": "parties"},
    commands={"Serve and show": {"a2a": f"{_HERE}.command:a2a"}},
)
