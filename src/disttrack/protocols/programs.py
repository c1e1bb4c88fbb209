"""Trackers in any language: each site and the server is a program that speaks one JSON object per line.

The idea of nodes as programs on standard input and output is that of Maelstrom (Kingsbury, jepsen-io/maelstrom). Here
each line is answered by exactly one line before anything else happens, so a game is a function of its seed.
"""

from __future__ import annotations

import json
import os
import select
import shlex
import signal
import subprocess
import tempfile
import time
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import IO, Any, ClassVar, Final

import numpy as np

from disttrack.mechanisms.checks import Flag, Positive, Share, one_of
from disttrack.protocols.base import EVERYONE, Guarantee, Message, Protocol, Server, Site

Answer = Mapping[str, object]
"""A line, as JSON."""
MOST_SITES: Final = 256
"""Processes of a game: each takes three of the files that a process may open."""
LONGEST: Final = 2**20
"""Bytes of a line."""
PATIENCE: Final = 0.5
"""Seconds in which a program ends by itself once its input has ended; it is killed after that."""
SHOWN: Final = 80
"""Letters of a line that an error shows."""


class ProgramError(Exception):
    """A program could not be started, ended, took too long, or answered what it must not; in one line."""


@dataclass(frozen=True)
class Exec(Protocol):
    """Sites and a server that are programs, in any language, one process each.

    A program reads one JSON object per line and answers each with one, as docs/extending.md says. The first
    line has its role, its numbers and its seed.

    Parameters
    ----------
    file
        The program. It is part of the identity of a game: an edited program plays anew.
    alpha
        Relative error that it promises.
    runner
        What the program is run by, such as ``perl`` or ``awk -f``; the file itself is run if left out. A script in
        it is part of the identity too.
    promise
        When the output is within 1 +- alpha, as `guarantee` of any protocol; conformance tries to refute it.
    delta
        Probability that it fails, for a promise that has one.
    coins
        Whether it draws random numbers: each process then gets a seed of its own, drawn from that of the game.
    timeout
        Seconds within which each line must be answered.
    depends_on
        Further files that it is made of, as `file` is: what a script starts, what it imports. One text or several.

    Source
    ------
    the program
    """

    kind: ClassVar[str] = "exec"
    reveals: ClassVar[str] = "what the program sends"

    file: str
    alpha: Share
    runner: str = ""
    promise: str = "none"
    delta: Share | None = None
    coins: Flag = False
    timeout: Positive = 10.0
    depends_on: str | Sequence[str] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("file", "runner"):
            if not isinstance(getattr(self, name), str):
                raise ValueError(f"{name} must be a text; got {getattr(self, name)!r}")
        try:
            shlex.split(self.runner)
        except ValueError as error:
            raise ValueError(f"runner must be a command line ({str(error).lower()}); got {self.runner!r}") from None
        named = [self.depends_on] if isinstance(self.depends_on, str) else self.depends_on
        if not isinstance(named, list | tuple) or not all(isinstance(one, str) for one in named):
            raise ValueError(f"depends_on must be names of files; got {self.depends_on!r}")
        if not Path(self.file).is_file():
            raise ValueError(f"file must name a program; there is no file {self.file!r}")
        if not (self.runner or os.access(self.file, os.X_OK)):
            raise ValueError(f"file must be executable (chmod +x), or needs a runner; got {self.file!r}")
        one_of("promise", self.promise, ("always", "adaptive", "oblivious", "none"))

    @property
    def guarantee(self) -> Guarantee:  # type: ignore[override]
        """The promise."""
        return self.promise  # type: ignore[return-value]

    def sites(self, k: int, rng: np.random.Generator, start: Sequence[int] = ()) -> Sequence[Site]:
        if k > MOST_SITES:
            raise ProgramError(f"{self.file}: starts a process per site, {MOST_SITES} at most; got {k} sites")
        begun = start or [0] * k
        return [ProgramSite(self._program("site", k, rng, begun[site], site), f"site {site}") for site in range(k)]

    def server(self, k: int, rng: np.random.Generator, start: Sequence[int] = ()) -> Server:
        return ProgramServer(self._program("server", k, rng, sum(start)), sum(start), k)

    def _program(self, role: str, k: int, rng: np.random.Generator, start: int, site: int | None = None) -> Program:
        """Return a program, and the answer to its first line."""
        path = Path(self.file)
        name = f"{path.name}, {role}" + (f" {site}" if site is not None else "")
        program = Program([*shlex.split(self.runner), str(path.resolve())], name, self.timeout)
        seed = int(rng.integers(2**53)) if self.coins else 0  # exact in languages whose numbers are doubles
        number = {"site": site} if site is not None else {}
        program.begin({"role": role, **number, "sites": k, "start": start, "seed": seed, "alpha": self.alpha})
        return program


_CREW: ContextVar[list[Program] | None] = ContextVar("crew", default=None)


@contextmanager
def ending_programs() -> Iterator[None]:
    """End all programs that are started within the block with it."""
    crew: list[Program] = []
    token = _CREW.set(crew)
    try:
        yield
    finally:
        _CREW.reset(token)
        for program in crew:
            program.close()


class Program:
    """A process that answers lines.

    It ends with `close`, with the block of `ending_programs` in which it was started, or when it is forgotten.

    Parameters
    ----------
    command
        The words of its command line.
    name
        What errors call it.
    timeout
        Seconds for each answer.

    Raises
    ------
    ProgramError
        It cannot be started.
    """

    def __init__(self, command: Sequence[str], name: str, timeout: float) -> None:
        self.name, self.timeout, self._rest = name, timeout, b""
        self.answer: Answer = {}
        """The answer to the last line."""
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": self._errors}
        try:
            self._process: Any = subprocess.Popen(command, bufsize=0, start_new_session=True, **pipes)  # type: ignore[call-overload]
        except OSError as error:
            self._errors.close()
            raise ProgramError(f"{name}: cannot be started: {error.strerror}: {command[0]}") from error
        os.set_blocking(self._process.stdin.fileno(), False)
        self.close = weakref.finalize(self, _end, self._process, self._errors)
        if (crew := _CREW.get()) is not None:
            crew.append(self)

    def begin(self, facts: Answer) -> None:
        """Send the first line."""
        self.ask({"type": "init", **facts})

    def ask(self, line: Answer) -> Answer:
        """Send a line and return the answer.

        Raises
        ------
        ProgramError
            The program has ended, takes too long, or answers with something else than one JSON object.
        """
        text = json.dumps(line, separators=(",", ":")).encode()
        end = time.monotonic() + self.timeout
        with suppress(BrokenPipeError):  # it has closed its input: the reason is read below
            self._write(text + b"\n", end)
        answer = self._line(text, end)
        try:
            self.answer = json.loads(answer)
        except (ValueError, RecursionError):
            self.answer = []  # type: ignore[assignment]
        if not isinstance(self.answer, dict):
            raise self.wrong("one JSON object per line", answer, text)
        return self.answer

    def wrong(self, expected: str, answer: object, line: bytes = b"") -> ProgramError:
        """Return the error of an answer that is not as expected."""
        given = f" to {_short(line)}" if line else ""
        shown = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        return ProgramError(f"{self.name}: must answer with {expected}; answered {_short(shown)}{given}")

    def _write(self, text: bytes, end: float) -> None:
        """Write to its input, which takes more than the buffer of a pipe only while the program reads."""
        pipe = self._process.stdin
        while text and (left := end - time.monotonic()) > 0:
            if select.select([], [pipe], [], left)[1]:
                text = text[os.write(pipe.fileno(), text) :]

    def _line(self, asked: bytes, end: float) -> bytes:
        """Return the next line of its output."""
        pipe = self._process.stdout
        while b"\n" not in self._rest:
            left = end - time.monotonic()
            if left <= 0 or not select.select([pipe], [], [], left)[0]:
                raise ProgramError(f"{self.name}: no answer within {self.timeout:g} s to {_short(asked)}")
            more = os.read(pipe.fileno(), 2**16)
            self._rest += more
            if not more:
                raise ProgramError(f"{self.name}: {self._end_of_it()}, when it was given {_short(asked)}")
            if len(self._rest) > LONGEST:
                raise ProgramError(f"{self.name}: a line of more than {LONGEST:,} bytes in answer to {_short(asked)}")
        line, _, self._rest = self._rest.partition(b"\n")
        if self._rest:
            raise self.wrong("exactly one line", self._rest, asked)
        return line

    def _end_of_it(self) -> str:
        """Return how it ended, with the last line that it wrote to standard error."""
        status = _status(self._process.pid)
        how = "closed its output" if status is None else f"ended with status {status}"
        if status is not None and status < 0:
            how = f"was ended by {signal.Signals(-status).name}"
        self._errors.seek(0)
        words = self._errors.read()[-LONGEST:].split(b"\n")
        last = next((_short(one) for one in reversed(words) if one.strip()), "")
        return f"{how} ({last})" if last else how


def _status(pid: int) -> int | None:
    """Return the status with which a process ends within PATIENCE, less than 0 for a signal; it is not reaped."""
    end, pause = time.monotonic() + PATIENCE, 1e-4
    while True:
        if ended := os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT | os.WNOHANG):
            return ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status
        if time.monotonic() > end:
            return None
        time.sleep(pause)
        pause = min(2 * pause, 0.02)


def _end(process: Any, errors: IO[bytes]) -> None:
    """End a process and all that it has started, and reap it."""
    with suppress(OSError):
        process.stdin.close()
    with suppress(ChildProcessError):
        _status(process.pid)
    with suppress(OSError):  # it is not reaped yet, so that its number is not that of another group
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()
    errors.close()


def _short(text: bytes) -> str:
    line = text.decode(errors="replace").strip()
    line = "".join(letter if letter.isprintable() else "?" for letter in line)
    return line if len(line) <= SHOWN else f"{line[: SHOWN - 1]}…"


class ProgramSite(Site):
    """A site that is a program."""

    __slots__ = ("_program", "_silence", "name")

    def __init__(self, program: Program, name: str) -> None:
        self._program, self.name, self._silence = program, name, 0
        if self._sent(program.answer):
            raise program.wrong("no message before the game", program.answer)

    def silence(self) -> int:
        return self._silence

    def take(self, items: int) -> Sequence[Message]:
        return self._sent(self._program.ask({"type": "items", "items": int(items)}))

    def hear(self, message: Message) -> Sequence[Message]:
        return self._sent(self._program.ask(_line_of(message)))

    def _sent(self, answer: Answer) -> Sequence[Message]:
        _accept(self._program, answer, {"send", "silence"})
        silence = answer.get("silence", 0)
        if isinstance(silence, bool) or not isinstance(silence, int) or silence < 0:
            raise self._program.wrong("a silence that is a whole number from 0", answer)
        self._silence = silence
        return [message for _, message in _messages(self._program, answer, ())]


class ProgramServer(Server):
    """A server that is a program."""

    __slots__ = ("_k", "_program", "output")

    def __init__(self, program: Program, start: int, k: int) -> None:
        self._program, self._k, self.output = program, k, start
        if self._sent(program.answer):
            raise program.wrong("no message before the game", program.answer)

    def hear(self, sender: int, message: Message) -> Sequence[tuple[int, Message]]:
        return self._sent(self._program.ask({**_line_of(message), "from": sender}))

    def _sent(self, answer: Answer) -> Sequence[tuple[int, Message]]:
        _accept(self._program, answer, {"send", "output"})
        output = answer.get("output", self.output)
        if isinstance(output, bool) or not isinstance(output, int | float) or not isfinite(output):
            raise self._program.wrong("an output that is a finite number", answer)
        self.output = output
        return _messages(self._program, answer, range(self._k))


def _line_of(message: Message) -> dict[str, object]:
    return {"type": "message", "kind": message.kind, "value": message.value, "words": message.words}


def _accept(program: Program, answer: Answer, keys: set[str]) -> None:
    if unknown := sorted(set(answer) - keys):
        raise program.wrong(f"the keys {' and '.join(sorted(keys))} only, not {unknown[0]!r}", answer)


def _messages(program: Program, answer: Answer, receivers: Sequence[int]) -> list[tuple[int, Message]]:
    """Return the messages of an answer with their receivers; a site's have none but the server."""
    sent = answer.get("send", [])
    if not isinstance(sent, list):
        raise program.wrong("a list of messages under send", answer)
    messages = []
    for one in sent:
        keys = {"kind", "value", "words"} | ({"to"} if receivers else set())
        given = one if isinstance(one, dict) and set(one) <= keys else {}
        kind, words = given.get("kind"), given.get("words", 1)
        whole = isinstance(words, int) and not isinstance(words, bool) and words >= 1
        if not (isinstance(kind, str) and kind and whole):
            raise program.wrong("messages such as {'kind': 'count', 'value': 5, 'words': 1}", answer)
        to = given.get("to", "all")
        if receivers and not (to == "all" or (isinstance(to, int) and to in receivers)):
            raise program.wrong(f"messages to a site from 0 to {len(receivers) - 1}, or to 'all'", answer)
        messages.append((EVERYONE if to == "all" else int(to), Message(kind, given.get("value"), words)))
    return messages
