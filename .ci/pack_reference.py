"""Make reference results small enough to be committed: ``.venv/bin/python .ci/pack_reference.py [NAME…]``.

To be run after ``disttrack run NAME --out results/reference/NAME``. The large tables are compressed, always to the same
bytes. Of the figures, those stay that README.md and docs/ show, and those that the shipped tables cannot draw again;
of all others the digest of the SVG file stays, beside the captions.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import sys
from pathlib import Path

import pandas as pd
from PIL import Image

from disttrack.simulator.experiments.results.stored import read_manifest, store_manifest, table_file

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "docs"))

from handbook.written import ROOT, written

REFERENCE = ROOT / "results" / "reference"
PACKED = ("trials.csv", "series.csv", "kinds.csv", "controls.csv")
COURSES = ("attack", "dynamic", "flights", "headline", "prediction", "quota")
"""Results with a figure that is drawn from their series.csv. It is kept of these: of others it would be too large."""
TIMELINES = ("attack", "headline")
"""Those of which a timeline alone is drawn: it shows the games with the largest error."""


def pack(folder: Path, shown: set[str]) -> None:
    """Compress the tables of one result, and remove figures that are not shown."""
    manifest = read_manifest(folder / "manifest.json")
    tables = manifest["tables"]
    if "drawn" in manifest:  # files of this machine
        store_manifest(folder, {key: value for key, value in manifest.items() if key != "drawn"})
    for name in PACKED:
        plain, packed = folder / name, folder / f"{name}.gz"
        if name == "series.csv" and folder.name in TIMELINES:
            keep_worst(folder)
        if plain.is_file():
            packed.write_bytes(gzip.compress(plain.read_bytes(), 9, mtime=0))
            plain.unlink()
        if name not in tables or (name == "series.csv" and folder.name not in COURSES):
            packed.unlink(missing_ok=True)
    figures = folder / "figures"
    kept = figures / "digests.json"
    digests = json.loads(kept.read_text(encoding="utf-8")) if kept.is_file() else {}
    for svg in sorted(figures.glob("*.svg")):
        digests[svg.stem] = hashlib.sha256(svg.read_bytes()).hexdigest()
        svg.unlink()
    for png in figures.glob("*.png"):
        if f"{folder.name}/figures/{png.name}" not in shown and png.stem != "ratio":  # drawn from series.csv
            png.unlink()
        else:
            with Image.open(png) as picture:  # the same picture in fewer bytes
                picture.save(png, optimize=True, dpi=picture.info.get("dpi"))
    if digests:
        captions = json.loads((figures / "captions.json").read_text(encoding="utf-8"))
        text = json.dumps({stem: digests[stem] for stem in sorted(captions)}, indent=1)
        kept.write_text(f"{text}\n", encoding="utf-8")


def keep_worst(folder: Path) -> None:
    """Keep the rows of series.csv of each point's game with the largest error, the first of equal ones."""
    trials, series = (pd.read_csv(table_file(folder / name), dtype=str) for name in ("trials.csv", "series.csv"))
    worst = trials["max_rel_error"].astype(float).groupby(trials["point"], sort=False).idxmax()
    kept = series.merge(trials.loc[worst, ["point", "trial"]])
    text = kept.to_csv(index=False, lineterminator="\n")
    (folder / "series.csv").write_text(text, encoding="utf-8")
    manifest = read_manifest(folder / "manifest.json")
    manifest["tables"]["series.csv"] = hashlib.sha256(text.encode()).hexdigest()
    store_manifest(folder, manifest)


def main() -> None:
    """Pack the results named, or all."""
    pages = [ROOT / "README.md", *written(".md").values()]
    shown = set(re.findall(r"results/reference/([\w./-]+\.png)", "\n".join(map(Path.read_text, pages))))
    names = sys.argv[1:] or sorted(path.parent.name for path in REFERENCE.glob("*/manifest.json"))
    for name in names:
        pack(REFERENCE / name, shown)


if __name__ == "__main__":
    main()
