"""The handbook as a site: it is built without a warning, from what is there, and asks nothing of any other machine."""

from __future__ import annotations

import doctest
import functools
import http.server
import inspect
import math
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from chromium import chromium
from loaded_scenarios import loaded
from snippets import ROOT

from disttrack.simulator.experiments.scenario.shipped import shipped_scenarios
from disttrack.simulator.kinds.registry import FAMILIES, HOMES, Family, kinds
from handbook import corpus, pictures
from handbook.build import main as build_pages
from handbook.corpus import Shipped

PAGES = ("index.html", "gallery/tracking.html", "api/simulator.html")
BUILDER = ["-m", "zensical", "build", "--strict"]
OPENED = [
    *((page, 400, "light") for page in PAGES),
    ("tutorial.html", 1400, "dark"),
    ("protocols/robust.html", 1600, "light"),  # letters grow with the window from here on
]
DRAWN_GAMES = "protocol-robust"
DRAWN_FIGURES = "heavy-hitters"
OTHER = ROOT / "docs/pictures/report-short.png"
"""What stands for the pictures that are not drawn."""


@pytest.fixture(autouse=True)
def scenarios(monkeypatch: pytest.MonkeyPatch) -> None:
    """The handbook's scenarios are those that the tests of a process have loaded."""
    monkeypatch.setattr(corpus, "load", lambda path: loaded()[path.stem])


class Resources(HTMLParser):
    """Collects what a page loads by itself, and what it links to."""

    def __init__(self) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if "src" in given:
            self.loads.append(given["src"])
        if tag == "link" and given.get("rel") in ("stylesheet", "icon", "preload", "preconnect", "dns-prefetch"):
            self.loads.append(given["href"])
        if tag == "a" and "href" in given:
            self.links.append(given["href"])


def resources(html: str) -> Resources:
    """Return what a page loads and links to."""
    found = Resources()
    found.feed(html)
    return found


def is_foreign(address: str) -> bool:
    """Tell whether an address is on another machine."""
    return bool(urlsplit(address).netloc)


@pytest.mark.slow
def test_the_site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One test, since building takes its time: what is built is looked at as files, and in a browser."""
    if not find_spec("zensical"):
        pytest.skip("the extra docs is not installed")
    draw_few(tmp_path, monkeypatch)
    site = build(tmp_path)
    has_pictures(site)
    has_a_page_for_every_kind_and_scenario(site)
    has_all_that_its_pages_load_and_link_to(site)
    with chromium() as browser, served(site) as address:
        assert not faults_in_a_browser(address, browser)


def draw_few(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw the games of one tracker and the figures of one scenario; leave a picture that is there for the others."""
    games, figures = pictures.draw_games, pictures.draw_figures

    def draw_games(path: Path, *what: Any) -> None:
        path.parent.mkdir(exist_ok=True)
        games(path, *what) if path.name.startswith(DRAWN_GAMES) else path.write_bytes(OTHER.read_bytes())

    def draw_figures(one: Shipped, to: Path) -> None:
        to.mkdir(parents=True, exist_ok=True)
        for name in one.captions:
            (to / name).write_bytes(OTHER.read_bytes())
        if one.name == DRAWN_FIGURES:
            figures(one, to)

    monkeypatch.setattr(pictures, "KEPT", folder / "kept")
    monkeypatch.setattr(pictures, "draw_games", draw_games)
    monkeypatch.setattr(pictures, "draw_figures", draw_figures)


def build(folder: Path) -> Path:
    """Build the site as `make docs` does, and return its folder."""
    site = folder / "built"
    build_pages(site)
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        [sys.executable, *BUILDER], cwd=site, env=environment, capture_output=True, text=True, check=False, timeout=540
    )
    said = done.stdout + done.stderr
    assert done.returncode == 0, said[-2000:]
    assert "No issues found" in said
    return site / "site"


def test_kept_pictures_depend_on_the_code_of_every_kind_of_figure() -> None:
    rooms = {ROOT / "src" / "disttrack" / room for room in pictures.rooms_of_plots()}
    assert {Path(inspect.getfile(kind.load())).parent for kind in kinds("plot").values()} == rooms


def has_pictures(site: Path) -> None:
    """Assert that every picture is one, and that those that are not left out were drawn."""
    drawn = [site / f"protocols/{DRAWN_GAMES.partition('-')[2]}.png", *(site / "reference" / DRAWN_FIGURES).iterdir()]
    assert len(drawn) >= 2
    assert OTHER.read_bytes() not in {path.read_bytes() for path in drawn}
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in site.rglob("*.png"))


def has_a_page_for_every_kind_and_scenario(site: Path) -> None:
    """Assert that no page is missing."""
    wanted = [
        f"{HOMES[family].plural}/{kind.name}.html"
        for family in FAMILIES
        for kind in kinds(family).values()
        if kind.origin == "built in"
    ]
    wanted += [f"gallery/{name}.html" for name in shipped_scenarios()]
    assert len(wanted) >= 150
    assert not [page for page in wanted if not (site / page).is_file()]


def has_all_that_its_pages_load_and_link_to(site: Path) -> None:
    """Assert that every page loads from the site alone, and that no link within it is dead."""
    pages = sorted(site.rglob("*.html"))
    assert len(pages) >= 200
    missing, foreign = set(), set()
    for page in pages:
        found = resources(page.read_text(encoding="utf-8"))
        foreign |= {f"{page.name}: {address}" for address in found.loads if is_foreign(address)}
        for address in (*found.loads, *found.links):
            path = unquote(urlsplit(address).path)
            folder = site if path.startswith("/") or page.name == "404.html" else page.parent
            local = path and not urlsplit(address).scheme and not is_foreign(address)
            if local and not (folder / path.lstrip("/")).exists():
                missing.add(f"{page.name}: {address}")
    assert not foreign
    assert not missing
    styles = "".join(path.read_text(encoding="utf-8") for path in site.rglob("*.css"))
    assert not re.findall(r"(?:url\(|@import)\s*[\"']?(?:https?:)?//[^)\"']*", styles)


@contextmanager
def served(site: Path) -> Iterator[str]:
    """Serve the site to a browser on this machine; yield its address."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()


def faults_in_a_browser(address: str, browser: Any) -> list[str]:
    """Return what is wrong with some pages: errors, requests to others, text cut off, what axe finds serious."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed (extra: test)")
    faults: list[str] = []
    for path, width, scheme in OPENED:
        page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
        said: list[str] = []
        page.on("console", lambda told, said=said: said.append(told.text) if told.type == "error" else None)
        page.on("pageerror", lambda error, said=said: said.append(str(error)))
        page.on("request", lambda asked, said=said: said.extend(outside(asked.url, address)))
        page.goto(address + path)
        page.wait_for_timeout(300)
        if page.evaluate("document.documentElement.scrollWidth") > width:
            said.append("is wider than the window")
        for found in axe.Axe().run(page).response["violations"]:
            if found["impact"] in ("serious", "critical"):
                said.append(f"{found['id']}: {found['nodes'][0]['html'][:120]}")
        faults += [f"{path} at {width}, {scheme}: {fault}" for fault in said]
        page.close()
    return faults


def outside(asked: str, address: str) -> list[str]:
    """Return a request that leaves the site, nothing if it does not."""
    return [] if asked.startswith((address, "data:", "blob:")) else [f"asks {asked}"]


def test_links_to_files_lead_to_pages() -> None:
    from handbook import api, links, prose, written

    for module in (api, links, prose, written):
        tried = doctest.testmod(module)
        assert tried.attempted
        assert not tried.failed
    text = "[a](../src/disttrack/scenarios/scale.yaml)\n\n```text\n[a](../src/disttrack/scenarios/scale.yaml)\n```\n"
    assert links.rewritten(text, "docs/game.md").count("gallery/scale.md") == 1
    assert links.rewritten("[the plan](../src/disttrack/simulator/game/play.py)", "docs/game.md") == "the plan"
    file = "../../src/disttrack/adversaries/adaptive.py"
    assert links.rewritten(f"[drain]({file})", "docs/learn/x.md") == "[drain](../adversaries/drain.md)"


def test_pages_of_a_wing_are_there_where_the_wing_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from handbook import links, written

    path = "src/disttrack/fleet/docs/live.md"
    page, file = f"[live](../{path}#who-may-talk)", tmp_path / path
    for module in (links, written):
        monkeypatch.setattr(module, "ROOT", tmp_path)
    assert links.rewritten(page, "docs/trust.md") == "live"
    assert written.written(".md") == {}
    file.parent.mkdir(parents=True)
    file.touch()
    assert links.rewritten(page, "docs/trust.md") == "[live](live.md#who-may-talk)"
    assert written.written(".md") == {"live.md": file}
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/live.md").touch()
    with pytest.raises(ValueError, match=r"are both live\.md on the site"):
        written.written(".md")


def test_every_name_of_the_one_import_has_an_entry() -> None:
    import disttrack
    from handbook.api import documented

    made = [getattr(disttrack, name) for name in disttrack.__all__]
    places = {f"{one.__module__}.{one.__qualname__}" for one in made if inspect.isclass(one) or inspect.isfunction(one)}
    assert len(places) >= 100
    assert {place for place in places if place.startswith("disttrack.")} - documented() == set()


@pytest.mark.slow
@pytest.mark.parametrize("family", [family for family in FAMILIES if family != "plot"])
def test_the_example_of_every_kind_plays_as_its_page_says(family: Family) -> None:
    from disttrack.simulator.experiments.scenario.document import parse
    from disttrack.simulator.experiments.scenario.load import build
    from handbook.examples import example

    names = [kind.name for kind in kinds(family).values() if kind.origin == "built in"]
    assert len(names) >= 5
    examples = {name: example(family, name) for name in names}
    assert None not in examples.values()
    for name, made in list(examples.items())[::8]:
        assert made is not None
        scenario = build(parse(made.text, f"{name}-example.yaml", ROOT / "src/disttrack/scenarios"))
        assert len(scenario.points) == 1
        game = scenario.task.play(scenario.points[0], int(made.row["seed"]) if made.row else 1)
        assert game.error is None
        for column, value in game.row.items():
            if made.row and column != "seconds" and made.row.get(column, "") and isinstance(value, int | float):
                kept = made.row[column]
                same = kept == str(value) if isinstance(value, bool) else math.isclose(float(kept), value, rel_tol=1e-9)
                assert same, f"{name}: {column} is {value}, the page says {kept}"


@pytest.mark.slow  # all scenarios are read
def test_pages_have_the_properties_of_the_class() -> None:
    from disttrack.simulator.kinds.facts import Facts
    from handbook.kind_page import kind_page

    kind = kinds("protocol")["robust"]
    known = Facts("protocol", kind.name, kind.origin, kind.reference, kind.load())
    page = kind_page(known, None, None)
    for text in (*known.properties.values(), *(parameter.name for parameter in known.parameters)):
        assert text.split(",")[0] in page
    assert "[headline](../gallery/headline.md)" in page
    assert "416,572" in page
