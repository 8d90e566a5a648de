"""One page per workflow: wiring only, read top to bottom.

`llm_only` < `negotiation` < `short_term` < `shapley_coop`: each adds what its page names.
`minds` says how private thinking is put together, `chapters` what the pages share.
"""

from shapley_coop.graphs.catalogue import builder, names, summary

__all__ = ["builder", "names", "summary"]
