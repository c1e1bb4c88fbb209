"""How many words the simulator writes: in literals that are no docstrings, per 1,000 lines of code.

A table with a header says more than a sentence, and cannot be wrong in its grammar. The bar may only fall.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from pathlib import Path
from typing import Final

import disttrack.simulator

ROOM: Final = Path(disttrack.simulator.__file__).parent
BAR: Final = 450
"""Words per 1,000 lines of code, at most. 790 in October 2026; SimPy has 172, Mesa 327, jax-privacy 378."""
NO_CODE: Final = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING}


def counted(text: str) -> tuple[int, int]:
    """Return the words in literals, and the lines of code, of a file without its docstrings."""
    tree = ast.parse(text)
    bodies = (getattr(node, "body", None) for node in ast.walk(tree))
    statements = [one for body in bodies if isinstance(body, list) for one in body]
    docs = [one.value for one in statements if isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant)]
    texts = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str))
    words = sum(len(re.findall(r"[A-Za-z]{2,}", str(node.value))) for node in texts if node not in docs)
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in NO_CODE and token.type != tokenize.ENDMARKER:
            lines |= {*range(token.start[0], token.end[0] + 1)}
    for doc in docs:
        lines -= {*range(doc.lineno, (doc.end_lineno or doc.lineno) + 1)}
    return words, len(lines)


def test_words_are_counted() -> None:
    text = '"""Of a module."""\nA = "two words, 3"\n"""Of A."""\ndef f():\n    """Of f."""\n    return f"{A} more"\n'
    assert counted(text) == (3, 3)


def test_the_simulator_writes_few_words() -> None:
    files = [counted(path.read_text(encoding="utf-8")) for path in ROOM.rglob("*.py")]
    assert len(files) > 200
    words, lines = (sum(each) for each in zip(*files, strict=True))
    rate = 1000 * words / lines
    assert rate <= BAR, f"{rate:.0f} words in literals per 1,000 lines of code: write a row or a shorter message"
    assert rate > BAR - 20, f"only {rate:.0f} words in literals per 1,000 lines of code: lower the bar"
