"""Run by mkdocs when the site is built: writes the pages that are made of classes, scenarios and results."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import mkdocs_gen_files

from disttrack.simulator.points.facts import Facts
from disttrack.simulator.points.registry import FAMILIES, HOMES, kinds
from handbook.api import api_pages, documented
from handbook.corpus import REFERENCE, shipped
from handbook.examples import example
from handbook.gallery import by_chapter, gallery_page, scenario_page
from handbook.kind_page import Picture, family_page, kind_page
from handbook.pictures import reference_figure, timeline


def write(path: str, text: str) -> None:
    """Write a page of the site."""
    with mkdocs_gen_files.open(path, "w") as file:
        file.write(text)


def write_kinds() -> None:
    """Write a page a kind, one a family, and their order in the navigation."""
    places = documented()
    for family in FAMILIES:
        plural = HOMES[family].plural
        built_in = [kind for kind in kinds(family).values() if kind.origin == "built in"]
        known = [Facts(family, kind.name, kind.origin, kind.reference, kind.load()) for kind in built_in]
        known.sort(key=lambda one: one.name)
        for one in known:
            write(f"{plural}/{one.name}.md", kind_page(one, example(family, one.name), picture_of(one), places))
        write(f"{plural}/index.md", family_page(plural, known))
        lines = [f"- [All {plural}](index.md)", *(f"- [{one.name}]({one.name}.md)" for one in known)]
        write(f"{plural}/SUMMARY.md", "\n".join(lines) + "\n")


def picture_of(one: Facts) -> Picture | None:
    """Return the picture of a kind, written beside its page if it was drawn for it."""
    drawn = timeline(one.family, one.name)
    if drawn is not None:
        with mkdocs_gen_files.open(f"{HOMES[one.family].plural}/{one.name}.png", "wb") as file:
            file.write(drawn[0])
        return Picture(f"{one.name}.png", drawn[1])
    figure = reference_figure(one.family, one.name)
    if figure is None:
        return None
    scenario, file_name, caption = figure
    return Picture(f"../reference/{scenario}/{file_name}", caption)


def write_gallery() -> None:
    """Write a page a scenario, the gallery, and copy the figures."""
    for one in shipped().values():
        write(f"gallery/{one.name}.md", scenario_page(one))
        for file_name in one.captions:
            with mkdocs_gen_files.open(f"reference/{one.name}/{file_name}", "wb") as file:
                file.write((REFERENCE / one.name / "figures" / file_name).read_bytes())
    write("gallery/index.md", gallery_page())
    lines = ["- [All figures](index.md)"]
    for chapter, some in by_chapter().items():
        lines += [f"- {chapter}", *(f"    - [{one.name}]({one.name}.md)" for one in some)]
    write("gallery/SUMMARY.md", "\n".join(lines) + "\n")


def write_api() -> None:
    """Write the pages of the public face."""
    pages = api_pages()
    for path, text in pages.items():
        write(path, text)
    titles = {path: text.partition("\n")[0].lstrip("# ") for path, text in pages.items()}
    lines = [f"- [{title}]({path.removeprefix('api/')})" for path, title in titles.items() if path != "api/index.md"]
    write("api/SUMMARY.md", "\n".join(["- [Overview](index.md)", *lines]) + "\n")


write_kinds()
write_gallery()
write_api()
