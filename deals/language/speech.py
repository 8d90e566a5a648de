"""The public speech in a message that was refused.

>>> speech_in("<s>I offer five.</s><PROPOSAL>{broken</PROPOSAL>")
'I offer five.'
>>> speech_in("<CONSIDER>never <s>say</s> this")
''
"""

import re

from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.thoughts import without_thoughts
from shapley_coop.deals.language.wire import MAX_MESSAGE, Message, scan, too_long

# Private elements and proposals; an unclosed element extends to the end of the text.
_NOT_SPEECH = re.compile(
    r"<\s{0,4}(CONSIDER|NOTES|PROPOSAL)\b[^<>]{0,200}>.*?(?:</\s{0,4}\1\b[^<>]{0,200}>|\Z)",
    re.DOTALL | re.IGNORECASE,
)
_SPEECH = re.compile(r"<s>[^<>]*</s>", re.IGNORECASE)


def speech_in(text: str) -> str:
    """Return the public speech of a refused message, or "" if the speech is unclear.

    The speech must be closed, contain no tag and be the only one in the message. So no words are
    delivered that the author may have meant to keep private.
    """
    said = without_thoughts(text[:MAX_MESSAGE])
    if isinstance(said, Fault):
        return ""
    spoken = _SPEECH.findall(_NOT_SPEECH.sub("", said))
    if len(spoken) != 1:
        return ""
    message = scan(spoken[0].replace("<S>", "<s>").replace("</S>", "</s>"))
    if not isinstance(message, Message) or too_long(message):
        return ""
    return message.speech or ""
