"""The figures of a page: a picture for each, and what makes it interactive."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from simulator.pages.html import Html, data, joined

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from simulator.plots.interactive import Interactive

HEAVY: Final = 400_000
"""A figure whose SVG has more bytes stands in the page as PNG."""


@dataclass(frozen=True)
class Picture:
    """One figure of a page.

    Attributes
    ----------
    name
        Its file's name without the ending.
    path
        Its SVG file; the PNG stands beside it.
    caption
        What it shows, in plain text.
    figure
        What was drawn, to be made interactive; None for a picture alone.
    """

    name: str
    path: Path
    caption: str
    figure: Figure | None = None


def figures(pictures: Sequence[Picture]) -> Html:
    """Return figures one below the other, each with its data if it can be made interactive."""
    return joined([_figure(picture, f"figure-{place}") for place, picture in enumerate(pictures, start=1)])


def _figure(picture: Picture, anchor: str) -> Html:
    made, why = _made(picture.figure)
    live = Html("")
    if made is not None:
        spec: dict[str, Any] = made.values() | {"name": picture.name}
        spec["title"] = made.title or picture.caption
        live = data(f"{anchor}-data", spec)
    note = f" {made.note}" if made is not None and made.note else ""
    return Html(
        "<figure class='figure' id='{}'{}>{}<img class='still' alt='{}' src='{}'>"
        "<figcaption>{}<span class='quiet'>{}</span>{}</figcaption>{}</figure>\n",
        anchor,
        Html(" data-figure='{}'", f"{anchor}-data") if made is not None else Html(""),
        live,
        picture.caption,
        Html(_source(picture.path)),
        picture.caption,
        note,
        Html(" <span class='quiet'>Shown as a picture: {}.</span>", why) if why else Html(""),
        Html("<details class='values'><summary>The values of this figure as a table</summary></details>")
        if made is not None
        else Html(""),
    )


def _made(figure: Figure | None) -> tuple[Interactive | None, str]:
    """Return an interactive figure, or why there is none."""
    from simulator.plots.interactive import Unsupported, interactive

    if figure is None:
        return None, ""
    try:
        return interactive(figure), ""
    except Unsupported as error:
        return None, f"it has {error}"
    except Exception as error:  # a user's own artist: the picture tells the same
        return None, f"it cannot be made interactive ({type(error).__name__})"


def _source(path: Path) -> str:
    """Return a picture as data."""
    small = path.stat().st_size <= HEAVY
    content = (path if small else path.with_suffix(".png")).read_bytes()
    return f"data:image/{'svg+xml' if small else 'png'};base64,{base64.b64encode(content).decode('ascii')}"
