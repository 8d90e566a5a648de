"""Letters and forms for the people in a run: on pages, at a terminal, and on LangGraph's server.

`form` describes an answer as fields, `preview` says what a draft would do, and `standing` gives a
run's state. `pages` shows these in a browser, `fields` at a terminal, and `inbox` on the server.
"""

from shapley_coop.extension import Extension

_HERE = "shapley_coop.extensions.people"

EXTENSION = Extension(
    name="people",
    about="People read their letters and answer, at pages or a terminal.",
    first=("answer",),
    tables={"people": f"{_HERE}.tables"},
    routes={"seat": f"{_HERE}.routes:seat_routes"},
    guards={"people": f"{_HERE}.deadlines:DEADLINES"},
    commands={"Play": {"answer": f"{_HERE}.answer:answer"}},
)
