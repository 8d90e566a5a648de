"""The page of runs, live and in replay: its files, a run as the page reads it, and `coop view`.

`bundle` gathers what the page shows of a run. `local` serves the page on this machine, `on_server`
on LangGraph's server, and `selfcontained` writes a run as one file.
"""

from shapley_coop.extension import Extension

_HERE = "shapley_coop.extensions.page"

EXTENSION = Extension(
    name="page",
    about="Watch runs live and in replay on a page.",
    first=("view",),
    routes={"view": f"{_HERE}.on_server:view_routes"},
    commands={"Serve and show": {"view": f"{_HERE}.command:view"}},
)
