"""Remote sweeps: a LangGraph server plays the runs, with the server's queue and database."""

from shapley_coop.extension import Extension

EXTENSION = Extension(
    name="remote",
    about="Have a LangGraph server play the cells of `coop sweep --remote URL`.",
    players={"remote": "shapley_coop.extensions.remote.remote:Remote"},
)
