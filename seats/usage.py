"""What an answer cost in tokens: as its endpoint counts, or estimated where it does not count.

Without an estimate, an endpoint that reports nothing, or something impossible, would make a budget
last for ever. The estimate is rather too high: English has about four bytes to a token, other
languages fewer.

>>> counted({"input_tokens": 7, "output_tokens": 2}, "A letter.", "An answer.")
(7, 2)
>>> counted({"input_tokens": -1, "output_tokens": float("nan")}, "A letter.", "An answer.")
(4, 4)
>>> counted(None, "A letter.", "")
(4, 1)
"""

from collections.abc import Mapping
from typing import Any

_BYTES_PER_TOKEN = 3
_MOST = 2**31 - 1
"""What an integer column holds."""


def count_tokens(usage: Mapping[str, Any] | None, letter: str, answer: str) -> tuple[int, int]:
    """Return tokens in and out.

    Args:
        usage: input_tokens and output_tokens as the endpoint has them, whatever they are.
        letter: all that was sent.
        answer: all that came back.
    """
    known = usage or {}
    return (
        _count(known.get("input_tokens"), letter),
        _count(known.get("output_tokens"), answer),
    )


def parts(usage: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the tokens that may have prices of their own, as LangChain has them; else 0.

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
    """Return a reported count if it is positive, else an estimate.

    An empty answer may have cost tokens of reasoning.
    """
    if isinstance(told, int) and not isinstance(told, bool) and told > 0:
        return min(told, _MOST)
    return len(text.encode("utf-8", "replace")) // _BYTES_PER_TOKEN + 1
