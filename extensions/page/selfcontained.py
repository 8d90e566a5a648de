"""The export of a run as one HTML file with page, style, script and bundle, which works offline."""

import base64
import hashlib
import json
import re
from typing import Any

from shapley_coop.extensions.page.assets import FILES

_IMPORT = re.compile(r'^import \{[^}]*\} from "\./([\w.]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=function|const|async)", re.MULTILINE)

# These characters could open or close an element; JSON has escapes for them.
_ESCAPES = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}


def standalone_page(bundle: dict[str, Any]) -> str:
    """Return the HTML page that shows a bundle and contains it.

    Its content security policy allows only the program in the file, so no text of the bundle can
    run as a script.
    """
    program, style = link_modules("view.js"), FILES["page.css"]
    policy = (
        f"default-src 'none'; script-src '{_digest(program)}'; style-src '{_digest(style)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    data = json.dumps(bundle, ensure_ascii=False, allow_nan=False).translate(_ESCAPES)
    page = FILES["index.html"]
    for old, new in {
        '<meta charset="utf-8">': '<meta charset="utf-8">\n    '
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<link rel="stylesheet" href="../page/page.css">': f"<style>{style}</style>",
        '<script type="module" src="../page/view.js"></script>': (
            f'<script type="application/json" id="bundle">{data}</script>\n'
            f'    <script type="module">{program}</script>'
        ),
    }.items():
        before, found, after = page.partition(old)
        assert found, f"the page has no {old}"
        page = before + new + after
    return page


def link_modules(entry: str) -> str:
    """Return a JavaScript module and all its imports as one program, dependencies first.

    The modules must have named imports on one line, and no top-level name in common.
    """
    order: list[str] = []

    def visit(name: str) -> None:
        if name not in order:
            for needed in _IMPORT.findall(FILES[name]):
                visit(needed)
            order.append(name)

    visit(entry)
    return "\n".join(_EXPORT.sub("", _IMPORT.sub("", FILES[name])) for name in order)


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
