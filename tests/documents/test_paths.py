"""The documentation names files and folders that are there, and every room of the code says what is in it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from environments import GONE, WINGS
from opened import WAYS, all_files, on_page
from snippets import PAGES, ROOT

from handbook.links import FENCED, LINK

SOURCE = ROOT / "src" / "disttrack"
ROOMS = ("simulator", "protocols", "adversaries", "mechanisms", *(wing for wing in WINGS if (SOURCE / wing).is_dir()))
PACKAGES = (*ROOMS, "scenarios")
FOLDERS = (*PACKAGES, "src", "tests", "docs", "benchmarks", "examples", "results")
PATH = re.compile(rf"(?<![\w/.])(?:{'|'.join(FOLDERS)})/[\w./-]*\w[\w/]*")
OF_A_RUN = re.compile(r"^results/(?!reference|README)")
"""What a run of the reader's own writes."""


def is_there(path: str) -> bool:
    """Tell whether a path exists; the packages are named without the folders above them."""
    return ((SOURCE if path.partition("/")[0] in PACKAGES else ROOT) / path).exists()


def paths(text: str) -> set[str]:
    """Return the paths of this repository that a page names."""
    return {found for found in PATH.findall(text) if not OF_A_RUN.match(found) and not found.startswith(GONE)}


@pytest.mark.parametrize("page", [*PAGES.values(), ROOT / "CONTRIBUTING.md"], ids=lambda page: page.name)
def test_what_is_named_is_there(page: Path) -> None:
    named = paths(page.read_text(encoding="utf-8"))
    assert not sorted(path for path in named if not is_there(path))


@pytest.mark.parametrize(
    "page", [*PAGES.values(), ROOT / "CONTRIBUTING.md", ROOT / "results/README.md"], ids=lambda page: page.name
)
def test_links_lead_to_files_where_the_tree_is_browsed(page: Path) -> None:
    assert not gone_links(page.read_text(encoding="utf-8"), page.parent)


def gone_links(text: str, folder: Path) -> list[str]:
    """Return the relative links of a page in a folder that lead to nothing; those in code are none."""
    links = LINK.findall(FENCED.sub("", text))
    targets = [target.partition("#")[0] for _, _, target in links if not re.match(r"[a-z]+:|#|/", target)]
    files = {target: (folder / target).resolve() for target in targets}
    gone = {target for target, file in files.items() if not file.exists()}
    wings = tuple(f"{ROOT}/{folder}" for folder in GONE)
    return sorted(target for target in gone if not str(files[target]).startswith(wings))


DOTTED = re.compile(rf"`(?:disttrack\.)?((?:{'|'.join(ROOMS)})(?:\.\w+)+)`")
"""A module or a name in one, as docstrings name it."""


@pytest.mark.parametrize("room", ROOMS)
def test_modules_that_docstrings_name_are_there(room: str) -> None:
    texts = {path: path.read_text(encoding="utf-8") for path in (SOURCE / room).rglob("*.py")}
    assert not [
        f"{path}: {name}" for path, text in texts.items() for name in DOTTED.findall(text) if not is_found(name)
    ]


def is_found(name: str) -> bool:
    """Tell whether there is a module of this name, or one that names the next part of it."""
    file, parts = SOURCE, name.split(".")
    while parts and (file / parts[0]).is_dir():
        file /= parts.pop(0)
    file = file / f"{parts.pop(0)}.py" if parts and (file / f"{parts[0]}.py").is_file() else file / "__init__.py"
    return (
        not parts or re.search(rf"(?:import|def|class|\") ?{parts[0]}\b", file.read_text(encoding="utf-8")) is not None
    )


def test_every_room_says_what_is_in_it() -> None:
    """docs/architecture.md sends its readers there."""
    rooms = {path.parent for room in ROOMS for path in (SOURCE / room).rglob("*.py")}
    files = [room / "__init__.py" for room in rooms if room.name != "benchmarks"]
    silent = [file for file in files if not ast.get_docstring(ast.parse(file.read_text(encoding="utf-8")))]
    assert len(files) >= 18
    assert not silent


@pytest.mark.parametrize("way", WAYS)
def test_the_architecture_lists_the_files_that_are_opened(way: str) -> None:
    assert set(all_files()[way]) == on_page(way), "`python tests/opened.py --write` writes the lists anew"


def test_the_pages_name_many() -> None:
    assert sum(len(paths(page.read_text(encoding="utf-8"))) for page in PAGES.values()) >= 40
