"""`import disttrack`: every public name, nothing else, and nothing loaded before it is used."""

from __future__ import annotations

import importlib
import pydoc
import re
import subprocess
import sys
from importlib import metadata

import pytest

import disttrack
from disttrack.simulator.kinds.registry import FAMILIES, kinds
from handbook.written import ROOT, written

PACKAGES = ("disttrack.simulator", "disttrack.protocols", "disttrack.adversaries", "disttrack.mechanisms")


def test_importing_loads_nothing_heavy() -> None:
    # no time is measured, which other work on the machine would stretch: what takes long is one of these
    code = (
        "import sys, disttrack\n"
        "from disttrack import ScenarioError\n"
        "heavy = {'numpy', 'pandas', 'matplotlib', 'pydantic', 'simpy', 'scipy'}\n"
        "heavy |= {'disttrack.protocols', 'disttrack.mechanisms'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
        "disttrack.Deterministic\n"
        "assert 'disttrack.protocols' in sys.modules and not {'pandas', 'numba'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr


def test_what_dir_lists_is_what_there_is() -> None:
    listed = [name for name in dir(disttrack) if not name.startswith("__")]
    assert len(listed) == len(set(listed)) >= 120
    assert set(listed) == set(disttrack.__all__)
    assert not [name for name in listed if name.startswith("_")]
    assert all(getattr(disttrack, name) is not None for name in listed)
    assert disttrack.__version__
    with pytest.raises(AttributeError, match="no attribute 'Robst'"):
        disttrack.Robst  # noqa: B018


@pytest.mark.parametrize("package", PACKAGES)
def test_the_public_names_of_the_packages_are_there(package: str) -> None:
    module = importlib.import_module(package)
    assert len(module.__all__) >= 16
    for name in module.__all__:
        if (package, name) != ("disttrack.mechanisms", "HardInstance"):  # the one that plays is the adversary
            assert getattr(disttrack, name) is getattr(module, name)


def test_every_registered_kind_is_there_by_the_name_of_its_class() -> None:
    makers = [
        kind.load()
        for family in FAMILIES
        for kind in kinds(family).values()
        if family not in ("task", "plot") and kind.origin == "built in"
    ]
    assert len(makers) >= 60
    assert [maker for maker in makers if getattr(disttrack, maker.__name__) is not maker] == []


def test_help_describes_the_attributes() -> None:
    said = pydoc.plain(pydoc.render_doc(disttrack.Game))
    documented = re.search(r"Attributes\n.*?-+\n(.*?)\n \|  \n \|  ?(?:Game|Methods)", said, re.DOTALL)
    assert documented is not None
    names = re.findall(r"^ \|  ([a-z_, ]+)$", documented[1], re.MULTILINE)
    listed = {name for line in names for name in line.split(", ")}
    game = disttrack.play(disttrack.Exact(), disttrack.RoundRobin(), sites=2, items=5)
    assert len(listed) >= 25
    assert [name for name in listed if not hasattr(game, name)] == []
    fields = {name for name in vars(game) if not name.startswith("_")}
    assert fields <= listed, "an attribute without a word"


def test_the_pages_import_from_disttrack() -> None:
    pages = [ROOT / "README.md", *written(".md").values()]
    public = {package: set(importlib.import_module(package).__all__) for package in PACKAGES}
    for page in pages:
        for module, names in re.findall(r"^from ([\w.]+) import ([\w, ]+)$", page.read_text("utf-8"), re.MULTILINE):
            assert not public.get(module, set()) & set(names.split(", ")), f"{page.name}: from {module} import {names}"


def test_a_name_is_looked_up_without_reading_what_is_installed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Deterministic" in dir(disttrack)
    for home in (metadata, disttrack):
        monkeypatch.setattr(home, "entry_points", lambda **_: pytest.fail("read again"), raising=False)
    assert not hasattr(disttrack, "NoSuchName")
