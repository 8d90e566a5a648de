"""The state of a run: its table, its configuration, the facts computed from both, and its storage.

>>> from shapley_coop.state.run_config import RunConfig
>>> RunConfig(seats={"*": "embedded:greedy"}).resolve().seats["Alice"].model
'embedded:greedy'

`Table` is the checkpointed state of every graph. `EvaluatedTable` computes every fact that follows
from a table. Only `view.agent_view` takes facts from the table into a letter.
"""
