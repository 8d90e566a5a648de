"""Templates that are compiled once for all processes, as Python compiles modules."""

import hashlib
import importlib.util
import marshal
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import CodeType

import jinja2


def compiled_beside(
    folder: Path, environment: jinja2.Environment, templates: Mapping[str, str]
) -> dict[str, CodeType]:
    """The code of templates, from where Python keeps that of the modules beside them.

    What is kept there is trusted, as that of modules is. It is made anew where it is of other
    templates, of an environment with other settings, or of another version of Python or Jinja.

    Args:
        folder: of the templates.
        environment: that they are filled in.
        templates: name → text.

    Returns:
        Name → its code; empty where nothing can be kept, so that to compile what is not needed
        would be in vain.
    """
    file = folder / "__pycache__" / f"templates.{sys.implementation.cache_tag}.bin"
    made_of = _digest(environment, templates)
    with suppress(OSError, EOFError, ValueError, TypeError):
        told, codes = marshal.loads(file.read_bytes())  # noqa: S302
        if told == made_of:
            return dict(codes)
    if sys.dont_write_bytecode or not os.access(folder, os.W_OK):
        return {}
    codes = {name: environment.compile(text) for name, text in templates.items()}
    written = file.with_suffix(f".{os.getpid()}")
    with suppress(OSError):
        file.parent.mkdir(exist_ok=True)
        written.write_bytes(marshal.dumps((made_of, codes)))
        written.replace(file)
    return codes


def _digest(environment: jinja2.Environment, templates: Mapping[str, str]) -> bytes:
    """Of all that the code of templates is made of."""
    blocks = (environment.trim_blocks, environment.lstrip_blocks)
    settings = (*blocks, environment.keep_trailing_newline, environment.undefined)
    made_by = (jinja2.__version__, importlib.util.MAGIC_NUMBER, sorted(environment.filters))
    texts = sorted(templates.items())
    return hashlib.sha256(repr((settings, made_by, texts)).encode()).digest()
