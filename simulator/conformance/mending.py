"""What is wrong with a class, all of it, and how to mend each fault."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

from adversaries import Adversary, Choice
from mechanisms import Counter
from protocols.base import Protocol
from simulator.conformance.adversaries import adversary_checks
from simulator.conformance.counters import counter_checks
from simulator.conformance.failure import faults
from simulator.conformance.protocols import protocol_checks

COINS: Final = "take every random number from the generator that is handed in (rng), and keep nothing on the class"
SAME_GAME: Final = (
    "let take(n) do what n calls of take(1) do, act on items and messages only, never on how often you are asked, "
    f"and {COINS}"
)
ADVICE: Final = (
    (r"says no kind", "give the class a name in scenario files: kind = 'my-name'"),
    (r"says no source", "say where it comes from: source = 'paper, theorem', or 'my own'"),
    (r"says no reveals", "say what the outputs tell of the sites' coins: reveals = 'nothing', or in a few words what"),
    (r"says no (error|memory)", "say how it grows with the steps t, in a few letters: memory = 'O(log t)'"),
    (r"guarantee .* is unknown", "guarantee must be 'always', 'adaptive', 'oblivious' or 'none'"),
    (r"^sees .* is unknown", "sees must be 'outputs', 'traffic' or 'state'"),
    (r"privacy .* is unknown", "privacy must be 'pure' or 'approximate'"),
    (r"has no docstring", "say in a docstring what it is; disttrack list shows its first line"),
    (r"not a frozen dataclass", "write @dataclass(frozen=True) above this very class: its fields are its parameters"),
    (r"pickling", "define the class at the top of a module, and keep no open file, lambda or generator in it"),
    (r"cost_bound is not above 0", "let cost_bound return the most messages of a game, or infinity if none is known"),
    (r"cost_bound falls", "let cost_bound grow with the items: a longer game does not cost less"),
    (r"^accepts ", "refuse it in __post_init__ with a ValueError that begins with the parameter's name"),
    (r"the error does not name", "begin the message with the parameter's name, so that a scenario can point at it"),
    (r"makes \d+ sites", "return one site for each of k from sites(k, rng)"),
    (r"quota\(\) changes something", "let quota() only look: draw the next random place in take() or hear() instead"),
    (r"not a whole number from 0 on", "let quota() return an int of at least 0: items that may still come in silence"),
    (r"spoke with a quota|spoke within its quota", "let quota() return no more items than the site stays silent for"),
    (r"step and leap play different games", SAME_GAME),
    (r"same seed differ", f"{COINS}; state of one game must not reach the next"),
    (r"seeds give the same game|same estimates for another seed", "draw from rng, not from a fixed seed"),
    (r"global random generator", "draw from rng, not from random or numpy.random"),
    (r"a message .* of 0 words", "let every message cost at least one word"),
    (r"of no kind", "give every message a kind, a short word"),
    (r"add up|messages that were counted", "return messages to the engine, and send none in another way"),
    (r"skipped steps change", "act on items and messages only; a step without either must change nothing"),
    (r"copied on its way", "compare messages by what they say (kind, value), not by identity (is)"),
    (r"says always right", "guarantee = 'always' means at every step; with chance it is 'oblivious' at most"),
    (r"says one-sided", "one_sided = True must mean that the output never exceeds the truth; leave it out otherwise"),
    (r"failed in .* games with delta", "make it fail less often than delta, or promise a larger delta"),
    (r"distribution of", "let bulk_form draw what the sites draw, from item 0 on; without it, leap plays the game"),
    (r"leap and bulk play different games", "let bulk_form give the very messages and outputs of sites and server"),
    (r"bulk|advance\(\)|ends at step|steps and outputs|outputs? .* (listed|stands)|messages .* site for each step|"
     r"in which another was fed|goes .* no site|not in order|nothing happens",
     "follow protocols.bulk in each segment, or leave bulk_form out: the game is then played by leap"),
    (r"named site|plan\(\) returned|plan ", "let plan(view) return a schedule for sites 0 to view.sites - 1"),
    (r"sent no item|sent \d+ items of", "let plan(view) send items: a rest for ever is no game"),
    (r"a game changes the adversary", "keep what is learned in fields that a deep copy copies: each game plays a copy"),
    (r"says oblivious", "say oblivious = True only if plan(view) never looks at the outputs, nor at when it is asked"),
    (r"step and release give", "let release(items) draw and add as step(x) does, one entry after the other"),
    (r"miscounts its steps", "count a step for each entry, in step and in release"),
    (r"without noise it is off", "with all noise 0 the estimate must be the count"),
    (r"past its horizon|past the horizon|refused step counts", "refuse such a step before anything is counted"),
    (r"states no noise multiplier", "give a counter with normal noise its sigma: noise over sensitivity"),
    (r"scales of noise", "scale the noise to the most that one entry moves, over epsilon"),
    (r"as its encoder says", "let encoder(steps) be the matrix whose rows the noise is added to"),
    (r"says variance|exceeds its error bound", "let variance and error_bound say what the noise really does"),
    (r"nothing to look at", "let the tests play it: it made no game at all"),
    (r"raises ", "see what it raises with: disttrack play, with this class and --debug"),
)  # fmt: skip
"""How to mend a fault, by what is said of it; the first that fits."""


@dataclass(frozen=True)
class Fault:
    """Something that a class does wrong.

    Attributes
    ----------
    check
        The test that found it.
    what
        What is wrong.
    mend
        How to mend it.
    """

    check: str
    what: str
    mend: str


def all_faults(thing: Any) -> tuple[list[str], list[Fault]]:
    """Put a protocol, an adversary or a private counter through all tests of its kind, also after one has failed.

    Returns
    -------
    checks, faults
        The names of the tests, and what they found.

    Raises
    ------
    TypeError
        There are no conformance tests for such a thing.

    Examples
    --------
    >>> from protocols import Deterministic
    >>> all_faults(Deterministic(alpha=0.2))[1]
    []
    """
    if isinstance(thing, Protocol):
        checks = protocol_checks(thing)
    elif isinstance(thing, Adversary) or callable(thing):
        thing = thing if isinstance(thing, Adversary) else Choice(thing)
        checks = adversary_checks(thing)
    elif isinstance(thing, Counter):
        checks = counter_checks(thing)
    else:
        raise TypeError(f"a {type(thing).__name__} is neither protocol, nor adversary, nor private counter")
    found: dict[str, Fault] = {}
    for check, what in faults(type(thing).__name__, checks):
        # one fault may stop several checks
        said = re.sub(r"^raises MoveError: ", "", re.sub(r" in the check '[^']*'", "", what))
        found.setdefault(said, Fault(check, said, advice(what)))
    return list(checks), list(found.values())


def advice(what: str) -> str:
    """Return how to mend a fault; nothing if nobody knows."""
    return next((mend for pattern, mend in ADVICE if re.search(pattern, what)), "")
