"""Starting files for users' own classes: real modules of this package, so they are checked like it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

NAMES: Final = {
    what: (f"my_{what}", f"My{what.title()}", f"my-{what}") for what in ("adversary", "protocol", "task", "plot")
}
"""What the files here are called inside: module, class, kind."""


def written(what: str, *, module: str, class_name: str, kind: str) -> dict[str, str]:
    """Return the texts of starting files under a name of the user's own, by the names of the files.

    They are the class, a scenario where it needs one to run, and a test.

    Examples
    --------
    >>> texts = written("adversary", module="wave", class_name="Wave", kind="wave")
    >>> list(texts), "class Wave(Adversary):" in texts["wave.py"]
    (['wave.py', 'test_wave.py'], True)
    """
    folder = Path(__file__).parent
    old_module, old_class, old_kind = NAMES[what]
    files = {f"{old_module}.py": f"{module}.py", f"{old_module}.yaml": f"{module}.yaml"}
    files[f"checks_{old_module}.py"] = f"test_{module}.py"
    texts = {}
    for old, new in files.items():
        if (folder / old).is_file():
            text = (folder / old).read_text(encoding="utf-8").replace(f"{__name__}.{old_module}", module)
            text = text.replace(old_class, class_name).replace(old_module, module).replace(old_kind, kind)
            texts[new] = text
    return texts
