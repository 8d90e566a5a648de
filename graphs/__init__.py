"""The workflows of the core: a module ("page") for each, with all its nodes and edges in order.

`negotiation` extends `llm_only`, `negotiation_priced` extends `negotiation`, `short_term` extends
`negotiation_priced`, and `shapley_coop` extends `short_term`. In a page's diagram, ↺ marks a node
that can lead back to an earlier one. Pages are built with `workflow` and played with `running`.
"""

from shapley_coop.graphs.catalogue import builder, names, summary

__all__ = ["builder", "names", "summary"]
