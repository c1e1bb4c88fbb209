"""Starting files for users' own classes: real modules of this package, so they are checked like it."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal

NAMES: Final = {
    "adversary": ("my_adversary", "MyAdversary", "my-adversary"),
    "protocol": ("my_protocol", "MyProtocol", "my-protocol"),
}
"""What the files here are called inside: module, class, kind."""


def written(
    what: Literal["adversary", "protocol"] | str, *, module: str, class_name: str, kind: str
) -> tuple[str, str]:
    """Return the texts of a starting file and of its test under a name of the user's own.

    Examples
    --------
    >>> text, test = written("adversary", module="wave", class_name="Wave", kind="wave")
    >>> "class Wave(Adversary):" in text, "from wave import Wave" in test
    (True, True)
    """
    folder = Path(__file__).parent
    old_module, old_class, old_kind = NAMES[what]
    texts = []
    for file in (f"{old_module}.py", f"checks_{old_module}.py"):
        text = (folder / file).read_text(encoding="utf-8")
        text = text.replace(f"simulator.templates.{old_module}", module)
        text = text.replace(old_class, class_name).replace(old_module, module).replace(old_kind, kind)
        texts.append(text)
    return texts[0], texts[1]
