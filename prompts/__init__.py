"""The letters to agents: Markdown templates, one renderer, and one writer.

>>> from shapley_coop.prompts import render
>>> render("persona", you="Alice", private="", notes="", outsider=False, represents=None)
'You are **Alice**.\\n'

A missing variable is an error. Agents' words are passed as data and escaped by `fence`,
so that no agent's words can end a block or open a tag in another's letter.
"""

from shapley_coop.prompts.letters import write_request, write_retry, write_rules
from shapley_coop.prompts.person import Section, sections_for_person
from shapley_coop.prompts.render import (
    are_tags_left_out,
    check_pack,
    fence,
    fill,
    fingerprint,
    render,
    use_pack,
    without_tags,
)
from shapley_coop.prompts.talk import NOT_PLAYED, write_history
from shapley_coop.prompts.words import quote

__all__ = [
    "NOT_PLAYED",
    "Section",
    "are_tags_left_out",
    "check_pack",
    "fence",
    "fill",
    "fingerprint",
    "quote",
    "render",
    "sections_for_person",
    "use_pack",
    "without_tags",
    "write_history",
    "write_request",
    "write_retry",
    "write_rules",
]
