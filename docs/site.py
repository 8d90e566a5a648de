"""A hook of MkDocs for this site: see `hooks` in mkdocs.yml.

Pages link to files of the repository, such as `../state/table.py`, which readers of the repository
follow. The site holds no such files, so it shows only the link's text.
"""

import posixpath
import re
from typing import Any

_LINK = re.compile(r"\[([^\]]+)\]\((\.\./[^)#\s]+)(?:#[^)\s]*)?\)")


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Leave out the links of a page that lead out of the documentation."""
    folder = posixpath.dirname(page.file.src_uri)

    def kept(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(folder, link.group(2)))
        return link.group(1) if target.startswith("..") else link.group()

    return _LINK.sub(kept, markdown)
