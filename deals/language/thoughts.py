"""The removal of a model's thoughts from its answer, by the marks of chat templates and servers.

Thoughts bind no agent and are delivered to no agent. If it is unclear where thoughts begin or end,
the answer is sent back to its author.

>>> without_thoughts("Shall I <ACCEPT>? No.</think><REJECT>")
'<REJECT>'
>>> without_thoughts("<think>Shall I <ACCEPT>?").feedback
'<think> is never closed, so that all behind it is thought: close it before your answer.'
"""

import re
from dataclasses import dataclass

from shapley_coop.deals.language.elements import TAG_LIKE
from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.lenient_json import Json, read_json


@dataclass(frozen=True)
class Mark:
    """The marks around thoughts. `…` stands for at most 80 characters, in a tag for attributes.

    Attributes:
        opens: the marks that begin thoughts.
        closes: the marks that end thoughts, even if no mark opened them.
        used: the models, templates or servers that use the marks.
        ends: the marks that end thoughts only if a mark opened them.
        first: whether `opens` is a mark only at the beginning of an answer.
        sure: whether all text before `closes` is thought, even if it holds tags or JSON.
    """

    opens: tuple[str, ...]
    closes: tuple[str, ...]
    used: str
    ends: tuple[str, ...] = ()
    first: bool = False
    sure: bool = True


def _element(name: str, used: str) -> Mark:
    return Mark((f"<{name}>",), (f"</{name}>",), used)


_GLUED = "analysis"
"""A channel name of gpt-oss. If special tokens are lost, thoughts follow it without a space."""

MARKS = (
    _element(
        "think",
        "DeepSeek-R1, Qwen3, QwQ, GLM, MiniMax-M2, Nemotron, Hunyuan, ERNIE, Phi-4-reasoning, "
        "OLMo, Granite, Step, Kimi K2",
    ),
    _element("thinking", "prompts that ask for it, proxies"),
    _element("thought", "EXAONE, proxies of Gemini"),
    _element("thoughts", "prompts that ask for it"),
    _element("reasoning", "prompts that ask for it"),
    _element("reflection", "Reflection, prompts that ask for it"),
    _element("analysis", "prompts that ask for it"),
    _element("scratchpad", "prompts that ask for it"),
    _element("think_fast", "K2 Think"),
    _element("think_faster", "K2 Think"),
    Mark(("<ifm|think>", "<ifm|think_fast>"), ("</ifm|think>", "</ifm|think_fast>"), "K2 Think"),
    _element("seed:think", "Seed-OSS"),
    _element("mm:think", "MiniMax-M3"),
    _element("longcat_think", "LongCat"),
    Mark(("<details…reasoning…>",), (), "Open WebUI", ends=("</details>",)),
    Mark(("[THINK]",), ("[/THINK]",), "Magistral"),
    Mark(("◁think▷",), ("◁/think▷",), "Kimi-VL, Kimi K2"),
    Mark(
        ("<|open|>think<|sep|>",),
        ("<|close|>think<|sep|>", "<|open|>response<|sep|>"),
        "Kimi K3",
    ),
    Mark(
        tuple(
            f"{turn}<|channel|>{channel}"
            for turn in ("<|start|>assistant", "")
            for channel in ("analysis", "commentary")
        ),
        ("<|start|>assistant<|channel|>final…<|message|>", "<|channel|>final…<|message|>"),
        "gpt-oss",
        ends=("<|end|>",),
    ),
    Mark((_GLUED,), ("assistantfinal",), "gpt-oss without its special tokens", first=True),
    Mark(("<|channel>",), ("<channel|>",), "Gemma 4"),
    Mark(
        ("<|START_THINKING|>",),
        ("<|END_THINKING|>", "<|START_RESPONSE|>"),
        "Command A Reasoning",
    ),
    Mark(("<|inner_prefix|>",), ("<|inner_suffix|>",), "Apertus"),
    Mark(
        ("<|begin_of_thought|>",),
        ("<|end_of_thought|>", "<|begin_of_solution|>"),
        "OpenThinker, Sky-T1",
    ),
    Mark(("<|think|>",), ("<|begin|>assistant<|content|>", "<|content|>"), "Solar Open"),
    Mark(("<|THINK_START|>",), ("<|THINK_END|>",), "Step"),
    Mark(("[unused16]",), ("[unused17]",), "Pangu"),
    Mark(
        ("<|start|>assistant to=self<|message|>", "to=self<|message|>"),
        ("<|start|>assistant to=user<|message|>", "to=user<|message|>"),
        "Muse",
        ends=("<|eom|>",),
    ),
    Mark(("/think\n",), ("<|im_start|>assistant",), "HyperCLOVA X SEED Think", first=True),
    Mark(
        ("Here is my thought process:", "Here's my thought process:"),
        (),
        "Granite 3.2",
        ends=("Here is my response:", "Here's my response:"),
        first=True,
    ),
    Mark((), ("<answer>", "<response>"), "Hunyuan, ERNIE, Granite 3.3", sure=False),
)
"""The marks of chat templates and of servers' parsers; `docs/answers.md` lists them."""

_NAME = re.compile(r"<(/?)([\w:]+)>")


def _pattern(written: str) -> str:
    """Return the pattern of a mark: a tag may have spaces or attributes, other marks are exact."""
    if tag := _NAME.fullmatch(written):
        slash, name = tag.groups()
        return rf"<\s{{0,4}}{slash}\s{{0,4}}(?i:{name})(?:\s[^<>]{{0,200}})?>"
    gap = ".{0,80}?" if "|" in written else "[^<>]{0,200}?"  # in a tag, `…` means attributes
    found = re.escape(written).replace("…", gap).replace(r"\ ", r"\s{1,4}")
    return rf"{found}(?=[A-Z])" if written == _GLUED else found


def _parts(first: bool) -> str:
    """Return the pattern of marks read only at the beginning, or of marks read anywhere."""
    groups = []
    for number, mark in enumerate(MARKS):
        parts = {"closes": mark.closes, "ends": mark.ends} if not first else {}
        if mark.first == first:
            parts = {"opens": mark.opens, **parts}
        groups += [
            f"(?P<{part}_{number}>{'|'.join(map(_pattern, written))})"
            for part, written in parts.items()
            if written
        ]
    return "|".join(groups)


# Look ahead at the first characters, because trying every mark at every character is slow.
_BEGIN = "|".join(
    sorted(
        {
            re.escape(one if one[0].isalpha() else one[0])
            for mark in MARKS
            for one in (*(() if mark.first else mark.opens), *mark.closes, *mark.ends)
        }
    )
)
MARK = re.compile(rf"\A\s*(?:{_parts(True)})|(?={_BEGIN})(?:{_parts(False)})", re.DOTALL)
"""The pattern of any mark. Repetitions are bounded and not nested, so matching is linear."""

_MOST_OBJECTS = 16

_OF_WORDS = {"s", "consider", "notes"}
"""Elements of words. An unclosed element extends to the end, past any marks quoted in it."""


def without_thoughts(text: str) -> str | Fault:
    """Return an answer without its thoughts, or a fault (TAG) if their limits are unclear.

    A chat template may open thoughts before the answer begins, so all text before the first closing
    mark is thought. The answer follows the last thoughts. Plain words between two thoughts are
    private; an element between them is a fault, because it may be a thought or an answer.
    """
    at, seen, ended = 0, False, -1
    opened: re.Match[str] | None = None
    for found in MARK.finditer(text):
        part, number = _which(found)
        if opened is not None:
            if number != _which(opened)[1]:
                continue  # a mark of another kind, quoted in thoughts
            if part == "opens":
                return _fault(found, _NESTED)
            opened = None
        elif part == "ends":
            if ended == number and _may_be_said(text, at, found.start()):
                return _fault(found, _UNCLEAR)  # the text since the last mark may be thoughts
            continue
        elif part == "closes" and MARKS[number].sure and not seen:
            if _is_inside(text, found):
                return _fault(found, _UNCLEAR)
        elif _may_be_said(text, at, found.start()):
            return _fault(found, _UNCLEAR)
        elif part == "opens":
            opened = found
        at, seen, ended = found.end(), True, number if part == "ends" else -1
    return text[at:] if opened is None else _fault(opened, _OPEN)


_OPEN = "is never closed, so that all behind it is thought: close it before your answer"
_NESTED = "is there twice before your thoughts end: end them once, and answer behind them"
_UNCLEAR = (
    "stands behind or inside of what could be your answer: think first, write all of your answer "
    "behind your thoughts, and leave such marks out of it"
)


def _may_be_said(text: str, start: int, stop: int) -> bool:
    """Return whether the text from `start` to `stop` may be an answer: it has a tag or a brace."""
    return TAG_LIKE.search(text, start, stop) is not None or "{" in text[start:stop]


def _which(found: re.Match[str]) -> tuple[str, int]:
    """Return the attribute ("opens", "closes" or "ends") and the index of the mark found."""
    part, number = str(found.lastgroup).split("_")
    return part, int(number)


def _is_inside(text: str, closes: re.Match[str]) -> bool:
    """Return whether a closing mark without an opening is inside an element or inside JSON."""
    following = TAG_LIKE.search(text, closes.end())
    if following is not None and following.group(1):
        return True
    before = [*TAG_LIKE.finditer(text, 0, closes.start())]
    if before and not before[-1].group(1) and before[-1].group(2).lower() in _OF_WORDS:
        return True
    start = text.find("{", 0, closes.start())
    for _ in range(_MOST_OBJECTS):
        if start < 0:
            break
        read = read_json(text, start)
        end = read.end if isinstance(read, Json) else start + 1
        if end > closes.start():
            return True
        start = text.find("{", end, closes.start())
    return False


def _fault(found: re.Match[str], why: str) -> Fault:
    return Fault("TAG", f"{' '.join(found.group().split())[:60]} {why}.")
