"""Batches: a sweep sends its letters through a model provider's batch API, which costs less.

Answers arrive within a day. `asking.Batches` gathers letters, `jobs` sends and polls batches, and
`provider` uses OpenAI's Batch API. `coop sweep --batch` uses this extension.
"""

from shapley_coop.extension import Extension

EXTENSION = Extension(
    name="batches",
    about="A sweep's letters asked in a provider's batches, at a part of the price.",
    batches={"openai": "shapley_coop.extensions.batches.asking:Batches"},
)
