"""The cost of an answer in tokens: the endpoint's report, or an estimate if there is none.

Without an estimate, an endpoint that reports no count, or an impossible count, would never use up
a budget. The estimate is usually too high: it assumes 3 bytes a token, and English has about 4.

>>> count_tokens({"input_tokens": 7, "output_tokens": 2}, "A letter.", "An answer.")
(7, 2)
>>> count_tokens({"input_tokens": -1, "output_tokens": float("nan")}, "A letter.", "An answer.")
(4, 4)
>>> count_tokens(None, "A letter.", "")
(4, 1)
"""

from collections.abc import Mapping
from typing import Any

USD = "reported_usd"
"""The key of a message's metadata with the price in USD that a remote agent reports."""

_BYTES_PER_TOKEN = 3
_MOST = 2**31 - 1
"""The largest value of an integer column in the database."""


def count_tokens(usage: Mapping[str, Any] | None, letter: str, answer: str) -> tuple[int, int]:
    """Return the numbers of input and output tokens.

    Args:
        usage: the endpoint's report, whose input_tokens and output_tokens may have any value.
        letter: the whole text that was sent.
        answer: the whole text that came back.
    """
    known = usage or {}
    return (
        _count(known.get("input_tokens"), letter),
        _count(known.get("output_tokens"), answer),
    )


def parts(usage: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return cached and reasoning tokens, which may have separate prices; 0 if not reported.

    >>> parts({"input_token_details": {"cache_read": 5}, "output_token_details": {}})
    {'cached_tokens': 5, 'reasoning_tokens': 0}
    """
    known = usage or {}
    cached = (known.get("input_token_details") or {}).get("cache_read")
    thought = (known.get("output_token_details") or {}).get("reasoning")
    return {
        "cached_tokens": min(_count(cached, ""), _MOST) if cached else 0,
        "reasoning_tokens": min(_count(thought, ""), _MOST) if thought else 0,
    }


def _count(told: Any, text: str) -> int:
    """Return a reported count if it is positive, else an estimate of at least 1.

    Even an empty answer may have cost reasoning tokens.
    """
    if isinstance(told, int) and not isinstance(told, bool) and told > 0:
        return min(told, _MOST)
    return len(text.encode("utf-8", "replace")) // _BYTES_PER_TOKEN + 1
