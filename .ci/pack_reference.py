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

from disttrack.simulator.results.stored import read_manifest

ROOT = Path(__file__).resolve().parents[1]
REFERENCE = ROOT / "results" / "reference"
PACKED = ("trials.csv", "series.csv", "kinds.csv", "controls.csv")
COURSES = ("attack", "dynamic", "flights", "headline", "prediction", "quota")
"""Results with a figure that is drawn from their series.csv. It is kept of these: of others it would be too large."""


def pack(folder: Path, shown: set[str]) -> None:
    """Compress the tables of one result, and remove figures that are not shown."""
    tables = read_manifest(folder / "manifest.json")["tables"]
    for name in PACKED:
        plain, packed = folder / name, folder / f"{name}.gz"
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
    if digests:
        captions = json.loads((figures / "captions.json").read_text(encoding="utf-8"))
        text = json.dumps({stem: digests[stem] for stem in sorted(captions)}, indent=1)
        kept.write_text(f"{text}\n", encoding="utf-8")


def main() -> None:
    """Pack the results named, or all."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    shown = set(re.findall(r"results/reference/([\w./-]+\.png)", "\n".join(map(Path.read_text, pages))))
    names = sys.argv[1:] or sorted(path.parent.name for path in REFERENCE.glob("*/manifest.json"))
    for name in names:
        pack(REFERENCE / name, shown)


if __name__ == "__main__":
    main()
