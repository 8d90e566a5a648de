"""The fence that may follow an action, with text that the action carries.

>>> fence_aside('<ACTION>write {"path": "a"}</ACTION>\\n~~~\\nx < y\\n~~~\\nDone.')
('<ACTION>write {"path": "a"}</ACTION>\\nDone.', '~~~\\nx < y\\n~~~')
"""

import re

_FENCE = re.compile(r"\s*^(`{3,12}|~{3,12})[^\n]*\n.*?^\1[ \t]*$", re.MULTILINE | re.DOTALL)


def fence_aside(text: str) -> tuple[str, str]:
    """Return a message without the fence right after the JSON of its action, and that fence."""
    before, tag, after = text.rpartition("</ACTION>")
    found = _FENCE.match(after) if before.rstrip().endswith("}") else None
    return (before + tag + after[found.end() :], found.group().strip()) if found else (text, "")
