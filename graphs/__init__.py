"""One page per workflow: wiring only, read top to bottom.

`llm_only` < `negotiation` < `negotiation_priced` < `short_term` < `shapley_coop`: each adds what
its page names.
`workflow` says how nodes ask and edges lead on, `phases` what the pages share, `routing` whose turn
it is, `running` how a program plays a workflow.
"""

from shapley_coop.graphs.catalogue import builder, names, summary

__all__ = ["builder", "names", "summary"]
