"""What a run knows: its table, its configuration, what follows from both, and where it is kept.

>>> from shapley_coop.state.run_config import RunConfig
>>> RunConfig(seats={"*": "embedded:greedy"}).resolve().seats["Alice"].model
'embedded:greedy'

The table (`Table`) is the checkpointed state of every graph, and `EvaluatedTable` all that follows
from it. `view.agent_view` is the only way from the table into a letter.
"""
