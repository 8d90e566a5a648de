"""The conversion of source files in other encodings to UTF-8, so that git can compare them.

Converting a file's encoding must not change the authors of its lines. But git compares bytes, and
treats UTF-16 as binary. So in the temporary copy, `refs/replace` replaces files in other
encodings by their UTF-8 text, and git's log, blame and contents see the same text.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from shapley_coop.extensions.repository.git import Repository, RepositoryError
from shapley_coop.extensions.repository.log import Change

_MARKED = {
    b"\xff\xfe\0\0": "utf-32",
    b"\0\0\xfe\xff": "utf-32",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}
"""Byte order mark → encoding."""

_LEGACY = (
    "latin-1",
    "cp1252",
    "cp1251",
    "koi8-r",
    "shift_jis",
    "euc-jp",
    "gb18030",
    "big5",
    "euc-kr",
)
"""Encodings without a byte order mark, tried in this order; the first is the default."""

LARGEST_TEXTS = 256 << 20
"""The most bytes of all files in other encodings in a history."""


def replace_by_utf8(copy: Repository, changes: Sequence[Change], largest: int) -> bool:
    """Replace blobs of text in other encodings by UTF-8; return whether there were any.

    Args:
        copy: the temporary copy of the repository.
        changes: the changes of text files that contain bytes other than UTF-8, parents first.
        largest: the most bytes of a file that is read.

    Raises:
        RepositoryError: the files in other encodings exceed `LARGEST_TEXTS`.
    """
    hashes = dict.fromkeys(h for one in changes for h in (one.old, one.new) if h.strip("0"))
    contents: dict[str, bytes] = {}
    held = 0
    for name, content in zip(hashes, copy.blobs(list(hashes), largest), strict=True):
        if content is not None and _decoded(content, _LEGACY[0]) is not None:
            contents[name] = content
            held += len(content)
        if held > LARGEST_TEXTS:
            raise RepositoryError(
                f"{copy.path}: the sources in encodings other than UTF-8 exceed "
                f"{LARGEST_TEXTS >> 20} MB: settle a --range without them"
            )
    legacy = _legacy_by_path(changes, contents)
    texts: dict[str, str] = {}
    for one in changes:
        for name in (one.old, one.new):
            if name in contents and name not in texts and not _is_plain(contents[name]):
                text = _decoded(contents[name], legacy.get(one.path, _LEGACY[0]))
                texts.update({name: text} if text is not None else {})
    _replace(copy, texts)
    return bool(texts)


def _replace(copy: Repository, texts: Mapping[str, str]) -> None:
    """Write all texts as blobs in one git process, and replace the old blobs by them."""
    with TemporaryDirectory(dir=copy.git_dir) as folder:
        files = [Path(folder, str(n)) for n in range(len(texts))]
        for file, text in zip(files, texts.values(), strict=True):
            file.write_text(text, encoding="utf-8", newline="")
        given = "".join(f"{file}\n" for file in files).encode()
        asked = ("hash-object", "-w", "--no-filters", "--stdin-paths")
        made = copy.output(*asked, stdin=given).decode("ascii").split()
    refs = zip(texts, made, strict=True)
    listed = "".join(f"create refs/replace/{old} {new}\n" for old, new in refs if old != new)
    copy.output("update-ref", "--stdin", stdin=listed.encode())
    copy.output("pack-refs", "--all")


def _is_plain(content: bytes) -> bool:
    return b"\0" not in content and _decodes(content, "utf-8")


def _decodes(content: bytes, encoding: str) -> bool:
    try:
        content.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def _decoded(content: bytes, legacy: str) -> str | None:
    """Return a file's text with NUL bytes removed, or None if the file is data."""
    marked = next((name for mark, name in _MARKED.items() if content.startswith(mark)), "")
    if marked:
        return content.decode(marked).replace("\0", "") if _decodes(content, marked) else None
    plain = content.replace(b"\0", b"")
    if len(content) - len(plain) > len(content) // 100:
        return None  # too many NUL bytes for a text
    encoding = "utf-8" if _decodes(plain, "utf-8") else legacy
    return plain.decode(encoding) if _decodes(plain, encoding) else None


def _legacy_by_path(changes: Sequence[Change], contents: Mapping[str, bytes]) -> dict[str, str]:
    """Return path → the encoding in which most lines equal those of the file's UTF-8 version."""
    found: dict[str, str] = {}
    for one in changes:
        pair = [contents.get(one.old), contents.get(one.new)]
        strange = [c for c in pair if c is not None and not _decodes(c, "utf-8")]
        plain = [c for c in pair if c is not None and _decodes(c, "utf-8")]
        if len(strange) == len(plain) == 1:
            lines = set(plain[0].decode("utf-8").splitlines())
            fit = {
                name: len(lines & set(strange[0].decode(name).splitlines()))
                for name in _LEGACY
                if _decodes(strange[0], name)
            }
            found[one.path] = max(fit, key=lambda name: fit[name], default=_LEGACY[0])
    return found
