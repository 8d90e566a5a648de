"""The letters: one Markdown template each, and the only renderer.

>>> from shapley_coop.prompts import render
>>> render("persona", you="Alice", private="")
'You are **Alice**. You decide for yourself and seek your own benefit.\\n'

A variable that is missing fails. What agents have said is passed as data and escaped by
`fenced`, so that nobody's words can end a block or open a tag in somebody else's letter.
"""

from shapley_coop.prompts.render import fenced, fenced_lines, fingerprint, names, render

__all__ = ["fenced", "fenced_lines", "fingerprint", "names", "render"]
