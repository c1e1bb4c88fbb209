"""What is wrong with the parts of a user's protocol: their signatures, and the values that they return.

No engine looks at these, which would cost time per message. A short game with parts that do, and that know which method
was called last, is played before the first game of a protocol, and the same game again after one has ended in an error.
"""

from __future__ import annotations

import copy
import inspect
import re
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from functools import cache
from typing import Any, Final

from disttrack.adversaries.base import Adversary, View
from disttrack.adversaries.scripts import Scripted
from disttrack.protocols.base import Message, Protocol, Server, Site
from disttrack.protocols.programs import ProgramError
from disttrack.simulator.errors import PartError, ScenarioError
from disttrack.simulator.kinds.lines import defined_at, is_users

Method = Callable[..., Any]
"""A method of a base class, whose signature those of the user's classes fit."""
_EACH: Final = ": write [… for _ in range(k)]"


def fault_of(protocol: Protocol, adversary: object, play: Callable[[Protocol], object]) -> PartError | None:
    """Return what is wrong with a part of a protocol in a game, and the line of its method; None if nothing is.

    Of the adversary only the signature is checked: each game looks at its plans.

    Parameters
    ----------
    play
        Plays the game with another protocol.
    """
    calls = _Calls()
    try:
        for method in (Adversary.plan, Scripted.script):
            if hasattr(adversary, method.__name__):
                calls.check(method, adversary, None)
        play(examined(protocol, calls))
    except PartError as fault:
        return PartError(f"{fault}{calls.place}")
    except Exception:  # the code of a part or of the adversary, which names its own line
        return None
    return None


def may_be_of_a_part(error: BaseException) -> bool:
    """Return whether a part's value may have caused an error of a game, which was not raised by the user's own code."""
    wrong = isinstance(error, PartError) or (
        isinstance(error, Exception) and not isinstance(error, ScenarioError | ProgramError)
    )
    return wrong and not is_users(innermost(error))


def innermost(error: BaseException) -> str:
    """Return the file of the code that raised an error."""
    files = [frame.f_code.co_filename for frame, _ in traceback.walk_tb(error.__traceback__)]
    return files[-1] if files else "<none>"


def explain_index(error: BaseException) -> None:
    """Say in an error of the user's code that a fact of the view is one number, where the code asks for its parts."""
    frames = traceback.extract_tb(error.__traceback__)
    asked = re.search(r"\bview\.(\w+)\[", frames[-1].line or "") if frames else None
    if asked and isinstance(error, TypeError) and "subscriptable" in str(error) and asked[1] in View.__annotations__:
        error.args = (f"{error}: view.{asked[1]} is one number, of all sites",)


def examined(protocol: Protocol, calls: _Calls) -> Protocol:
    """Return the protocol with parts that raise PartError when they return a wrong value."""
    base: Any = type(protocol)

    class Examined(base):  # type: ignore[misc]
        def sites(self, k: int, *rest: Any, **more: Any) -> Sequence[Site]:
            return calls.sites(protocol, k, *rest, **more)

        def server(self, *given: Any) -> Server:
            made = calls.call(Protocol.server, protocol, *given)
            if not _has(made, "hear") or not hasattr(made, "rounds"):
                calls.refuse("a Server", made)
            return _Server(made, calls)

    Examined.__name__ = base.__name__
    other = copy.copy(protocol)
    object.__setattr__(other, "__class__", Examined)
    return other


def stated(method: Method) -> str:
    """Return how a class states a method, without annotations.

    Examples
    --------
    >>> stated(Protocol.cost_bound)
    'cost_bound(self, k, items, start=0)'
    """
    parameters = inspect.signature(method).parameters.values()
    return f"{method.__name__}({', '.join(str(one.replace(annotation=one.empty)) for one in parameters)})"


class _Calls:
    """The calls of the parts of one game.

    Attributes
    ----------
    name, place
        The method called last, and where it is defined.
    """

    name = place = ""

    def __init__(self) -> None:
        self._checked: set[tuple[object, ...]] = set()  # ways of calling a method that its class takes

    def call(self, method: Method, part: Any, *given: Any, **more: Any) -> Any:
        """Call a part's own form of a method, and return its value; PartError if it does not take these arguments."""
        self.check(method, part, *given, **more)
        return getattr(part, method.__name__)(*given, **more)

    def check(self, method: Method, part: Any, *given: Any, **more: Any) -> None:
        """Raise PartError if a part's own form of a method does not take these arguments."""
        name = method.__name__
        self.note(part, name)
        way = type(part), name, len(given), *more
        if way in self._checked:
            return
        try:
            inspect.signature(getattr(part, name)).bind(*given, **more)
        except TypeError as error:
            raise PartError(f"{self.name}: write {stated(method)} ({error})") from None
        self._checked.add(way)

    def note(self, part: Any, name: str) -> None:
        """Note the method that is called, and where it, or else its class, is defined."""
        self.name, self.place = _method(part.__class__, name)

    def refuse(self, wanted: str, returned: object, remedy: str = "") -> None:
        """Raise the error of the method called last, which must return something else."""
        raise PartError(f"{self.name} must return {wanted}; got {returned!r}{remedy}")

    def sites(self, protocol: Protocol, k: int, *rest: Any, **more: Any) -> list[Site]:
        """Return the sites of a protocol, checked to be k of them."""
        returned = self.call(Protocol.sites, protocol, k, *rest, **more)
        made = list(returned) if isinstance(returned, Iterable) else [returned]
        if returned is None or not all(_has(site, "silence", "take", "hear") for site in made):
            self.refuse("k Sites", returned)
        if not isinstance(returned, Sized):
            self.refuse("a list of k sites", returned, _EACH)
        if len(made) != k:
            self.refuse(f"k = {k} sites", len(made), _EACH)
        if (different := len(set(map(id, made)))) < k:
            self.refuse("k different objects", different, f"{_EACH}, not […] * k")
        return [_Site(site, self) for site in made]

    def messages(self, returned: Any, each: Callable[[Any], bool], accepted: str) -> list[Any]:
        """Return what a method has returned as a list, of which each must be what is accepted."""
        if isinstance(returned, Message) or _is_pair(returned) or not isinstance(returned, Iterable):
            self.refuse(f"{accepted}, or () for none", returned)
        made = list(returned)
        for one in made:
            if not each(one):
                self.refuse(accepted, one, " among them")
        return made


@cache
def _method(kind: type, name: str) -> tuple[str, str]:
    """Return the name of a method of a class, and where it, or else the class, is defined."""
    methods = [vars(base)[name] for base in kind.__mro__ if name in vars(base)]
    methods += [one for base in kind.__mro__ for one in vars(base).values() if inspect.isfunction(one)]
    return f"{kind.__name__}.{name}", next(filter(None, map(defined_at, filter(callable, methods))), "")


def _has(part: Any, *methods: str) -> bool:
    """Return whether an object has these methods; a class is no object."""
    return not isinstance(part, type) and all(callable(getattr(part, name, None)) for name in methods)


def _is_message(one: Any) -> bool:
    return isinstance(one, Message) and isinstance(one.kind, str)


def _is_pair(one: Any) -> bool:
    return isinstance(one, tuple) and len(one) == 2 and not isinstance(one[0], Message) and _is_message(one[1])


class _Part:
    """A part of the user's, whose calls are examined; it has what that one has."""

    def __init__(self, part: Any, calls: _Calls) -> None:
        self.part, self.calls = part, calls

    def __getattr__(self, name: str) -> Any:
        return getattr(self.part, name)


class _Site(_Part, Site):
    """A site that checks what the user's own returns."""

    def silence(self) -> int:
        items = self.calls.call(Site.silence, self.part)
        if isinstance(items, bool) or not hasattr(items, "__index__") or items < 0:
            self.calls.refuse("a whole number of at least 0, or FOREVER", items)
        return items  # type: ignore[no-any-return]

    def take(self, items: int) -> Sequence[Message]:
        return self._sent(self.calls.call(Site.take, self.part, items))

    def hear(self, message: Message) -> Sequence[Message]:
        return self._sent(self.calls.call(Site.hear, self.part, message))

    def _sent(self, returned: Any) -> list[Message]:
        return self.calls.messages(returned, _is_message, "Messages in a sequence, [Message('kind', value)]")


class _Server(_Part, Server):
    """A server that checks what the user's own returns."""

    @property
    def output(self) -> Any:  # type: ignore[override]
        self.calls.note(self.part, "output")
        try:
            output = self.part.output
        except AttributeError:
            raise PartError(f"{self.calls.name} is missing: set self.output in __init__") from None
        return output  # what is no number fails at its steps (docs/game.md)

    @property
    def rounds(self) -> int | None:  # type: ignore[override]
        return self.part.rounds  # type: ignore[no-any-return]

    @property
    def extra(self) -> Mapping[str, Any]:  # type: ignore[override]
        return self.part.extra  # type: ignore[no-any-return]

    def hear(self, sender: int, message: Message) -> Sequence[tuple[int, Message]]:
        return self._sent(self.calls.call(Server.hear, self.part, sender, message))

    def readmit(self, sender: int, items: int) -> Sequence[tuple[int, Message]]:
        return self._sent(self.calls.call(Server.readmit, self.part, sender, items))

    def _sent(self, returned: Any) -> list[tuple[int, Message]]:
        pairs = "pairs (receiver, Message) in a sequence, [(EVERYONE, Message('kind', value))]"
        return self.calls.messages(returned, _is_pair, pairs)
