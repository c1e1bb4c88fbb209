"""The library that makes figures interactive, as a part of a page: compressed, unpacked by the browser."""

from __future__ import annotations

import base64
import gzip
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from simulator.pages.html import Html

LIBRARY: Final = "plotly-library"
"""The id under which a script finds it."""


@cache
def library() -> Html:
    """Return plotly's bundle as an element that runs nothing; empty where plotly is not installed.

    Compressed it is 1.9 of 4.8 megabytes. The same bundle gives the same bytes.
    """
    spec = find_spec("plotly")
    if spec is None or spec.origin is None:
        return Html("")
    path = Path(spec.origin).parent / "package_data" / "plotly.min.js"
    if not path.is_file():
        return Html("")
    packed = base64.b64encode(gzip.compress(path.read_bytes(), 9, mtime=0)).decode("ascii")
    return Html('<script type="text/plain" id="{}">{}</script>\n', LIBRARY, Html(packed))
