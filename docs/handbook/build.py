"""Writes the handbook's pages into one folder, from which the site is built: ``python docs/handbook/build.py FOLDER``.

The folder then holds `mkdocs.yml` with the navigation, and `pages/`: those of ``docs/`` as the site needs them, and
those made of classes, scenarios and reference results. It is plain Markdown, which any builder of sites can read.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Container, Iterator
from pathlib import Path
from typing import Any, Final

import yaml

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from disttrack.simulator.kinds.facts import Facts
from disttrack.simulator.kinds.registry import FAMILIES, HOMES, kinds
from handbook.api import api_pages, documented
from handbook.claims import claims_with_results, pages
from handbook.corpus import REFERENCE, shipped
from handbook.examples import example
from handbook.gallery import gallery_pages, scenario_page
from handbook.kind_page import Picture, family_page, kind_page
from handbook.pages import prepared
from handbook.pictures import figure, reference_figure, timeline
from handbook.written import ROOT, written

Pages = Iterator[tuple[str, str | bytes]]
"""Files of the site: path and content."""
Navigation = list[str | dict[str, Any]]
CONFIG: Final = ROOT / "mkdocs.yml"


def main(out: Path) -> None:
    """Write all pages and the configuration into a folder, in place of what was there."""
    shutil.rmtree(out, ignore_errors=True)
    navigation: dict[str, Navigation] = {}
    made = set()
    for path, content in (*by_hand(), *claims(), *kind_pages(navigation), *gallery(navigation), *api(navigation)):
        file = out / "pages" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        made.add(path)
    config = yaml.safe_load(CONFIG.read_text(encoding="utf-8"))
    config["nav"] = _filled(config["nav"], navigation, made)
    (docstrings,) = [plugin["mkdocstrings"] for plugin in config["plugins"] if "mkdocstrings" in plugin]
    options = docstrings["handlers"]["python"]["options"]
    options["extensions"] = [str(ROOT / path) for path in options["extensions"]]
    (out / "mkdocs.yml").write_text(yaml.safe_dump(config, sort_keys=False, allow_unicode=True), encoding="utf-8")


def by_hand() -> Pages:
    """Yield the pages written by hand, and their pictures, styles and scripts."""
    for name, file in written(".md").items():
        yield name, prepared(file.read_text(encoding="utf-8"), file.relative_to(ROOT).as_posix())
    for name, file in written(".png", ".svg", ".css", ".js").items():
        yield name, file.read_bytes()


def claims() -> Pages:
    """Yield the pages of the papers' claims."""
    yield from pages(claims_with_results([one.path for one in shipped().values()], REFERENCE)).items()


def kind_pages(navigation: dict[str, Navigation]) -> Pages:
    """Yield a page per kind and one per family, and enter them in the navigation."""
    places = documented()
    for family in FAMILIES:
        plural = HOMES[family].plural
        built_in = [kind for kind in kinds(family).values() if kind.origin == "built in"]
        known = [Facts(family, kind.name, kind.origin, kind.reference, kind.load()) for kind in built_in]
        known.sort(key=lambda one: one.name)
        for one in known:
            picture, files = _picture(one)
            yield from files
            yield f"{plural}/{one.name}.md", kind_page(one, example(family, one.name), picture, places)
        yield f"{plural}/index.md", family_page(plural, known)
        navigation[f"{plural}/"] = [f"{plural}/index.md", *({one.name: f"{plural}/{one.name}.md"} for one in known)]


def gallery(navigation: dict[str, Navigation]) -> Pages:
    """Yield the gallery, a page per scenario, and the figures."""
    for one in shipped().values():
        yield f"gallery/{one.name}.md", scenario_page(one)
        for name in one.captions:
            yield f"reference/{one.name}/{name}", figure(one, name)
    navigation["gallery/"] = ["gallery/index.md"]
    for path, (title, text, some) in gallery_pages().items():
        yield path, text
        if some:
            navigation["gallery/"].append({title: [path, *({one.name: f"gallery/{one.name}.md"} for one in some)]})


def api(navigation: dict[str, Navigation]) -> Pages:
    """Yield the pages of the public names."""
    made = api_pages()
    yield from made.items()
    titles = {path: text.partition("\n")[0].lstrip("# ") for path, text in made.items() if path != "api/index.md"}
    navigation["api/"] = ["api/index.md", *({title: path} for path, title in titles.items())]


def _picture(one: Facts) -> tuple[Picture | None, list[tuple[str, bytes]]]:
    """Return the picture of a kind, and the file to be written if it was drawn for it."""
    drawn = timeline(one.family, one.name)
    if drawn is not None:
        return Picture(f"{one.name}.png", drawn[1]), [(f"{HOMES[one.family].plural}/{one.name}.png", drawn[0])]
    figure = reference_figure(one.family, one.name)
    return (None if figure is None else Picture(f"../reference/{figure[0]}/{figure[1]}", figure[2])), []


def _filled(entries: Navigation, folders: dict[str, Navigation], made: Container[str]) -> Navigation:
    """Return a navigation with the pages of each folder in the place of its name, without those of wings not there."""
    full: Navigation = []
    for entry in entries:
        if isinstance(entry, str):
            full.append(entry)
            continue
        ((title, there),) = entry.items()
        inner = _filled(there, folders, made) if isinstance(there, list) else folders.get(there, there)
        if not isinstance(inner, str) or inner in made:
            full.append({title: inner})
    return full


if __name__ == "__main__":
    main(Path(sys.argv[1]))
