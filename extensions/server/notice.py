"""The page that tells a browser why nothing is shown."""

_PAGE = """<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>{title}</title>
  </head>
  <body><h1>{title}</h1><p>{words}</p></body>
</html>
"""


def notice_page(title: str, words: str) -> str:
    """Return a page that says why nothing is shown, and that loads no other file."""
    return _PAGE.format(title=title, words=words)
