"""A sweep's letters asked in a provider's batches, at a part of the price and within a day.

`asking.Batches` gathers letters, `jobs` sends and follows their batches, and `provider` speaks
OpenAI's Batch API. `coop sweep --batch` asks through it.
"""

from shapley_coop.extension import Extension

EXTENSION = Extension(
    name="batches",
    about="A sweep's letters asked in a provider's batches, at a part of the price.",
    batches={"openai": "shapley_coop.extensions.batches.asking:Batches"},
)
