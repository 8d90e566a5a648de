"""Changes that nodes make in place to values of their input.

The app's state holds the same lists and dicts as a node's input. So in LangGraph a change in place
reaches later nodes even if the node does not return the value. A call from the cache repeats it.
"""

from collections.abc import Collection, Mapping
from typing import Any

from shapley_coop.extensions.attribute.canonical import canonical, fields_of


class Before:
    """The values of a node's input, as they are before the node runs.

    Args:
        state: the input.
        managed: keys whose values LangGraph manages.
    """

    def __init__(self, state: Any, managed: Collection[str]) -> None:
        self._values = {key: x for key, x in fields_of(state).items() if key not in managed}
        self._texts = {key: canonical(x)[0] for key, x in self._values.items()}

    def changed(self, path: str) -> dict[str, Any]:
        """Return the values that the node changed in place.

        Raises:
            ValueError: the change cannot be repeated; the message names the node and the key.
        """
        found = {k: x for k, x in self._values.items() if canonical(x)[0] != self._texts[k]}
        for key, value in found.items():
            if not _can_change(value):
                raise ValueError(
                    f"{path} changes {key!r} in place, a {type(value).__name__}: return the new "
                    "value instead of changing it in place"
                )
        return found


def change(state: Any, changed: Mapping[str, Any]) -> None:
    """Change the values of a node's input in place, as `Before.changed` returned them."""
    values = fields_of(state)
    for key, new in changed.items():
        value = values[key]
        if isinstance(value, list):
            value[:] = new
        elif isinstance(value, dict | set):
            value.clear()
            value.update(new)
        else:
            vars(value).update(vars(new))


def _can_change(value: Any) -> bool:
    is_model = bool(fields_of(value)) and hasattr(value, "__dict__")
    return isinstance(value, list | dict | set) or is_model
