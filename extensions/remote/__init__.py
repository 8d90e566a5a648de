"""Remote sweeps: LangGraph servers play the runs, with their own queues and databases."""

from shapley_coop.extension import Extension

EXTENSION = Extension(
    name="remote",
    about="Have LangGraph servers play the cells of `coop sweep --remote URL`.",
    players={"remote": "shapley_coop.extensions.remote.remote:Remote"},
    gates={"coop_purse": "shapley_coop.extensions.remote.purse:pay"},
)
