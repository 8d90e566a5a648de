"""The workflows: one module ("page") per workflow, with all its nodes and edges in order.

`llm_only` < `negotiation` < `negotiation_priced` < `short_term` < `shapley_coop`: each workflow
adds the nodes that its docstring names. `workflow` has the builder of pages, the package
`questions` has questions that several pages share, and `running` plays a workflow from a program.
"""

from shapley_coop.graphs.catalogue import builder, names, summary

__all__ = ["builder", "names", "summary"]
