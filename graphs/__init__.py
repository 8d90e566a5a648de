"""One page per workflow: every node and every edge that is drawn, read top to bottom.

`llm_only` < `negotiation` < `negotiation_priced` < `short_term` < `shapley_coop`: each adds what
its page names.
`workflow` has the few words beyond LangGraph's that pages use, `questions` what several of them
ask, `running` how a program plays a workflow.
"""

from shapley_coop.graphs.catalogue import builder, names, summary

__all__ = ["builder", "names", "summary"]
