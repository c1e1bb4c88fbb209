"""The deployed processes, unchanged, on simulated machines: server and sites with supervisors, and their faults.

All runs in one event loop of simloom, with virtual time. A machine has the process of the server or of one site, which
its supervisor starts again whenever it has ended, and the clients of the site.
"""

from __future__ import annotations

import asyncio
import os
import random
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final

import simloom
from sim_clients import PORT, TOKEN, Noted, intrude, refused
from sim_clients import Items as SiteItems
from sim_clocks import Clock
from sim_disk import Disks
from sim_faults import SERVER, WRITES, Fault
from sim_files import BLOCK, LINES, paced, written
from sim_load import load
from sim_pauses import Pauses
from sim_schedule import SITES, STEP, Schedule

from disttrack.adversaries import tables
from disttrack.fleet.live import clock, frames, journal
from disttrack.fleet.live.deploy import items_of, kept_server, run_server, run_sites
from disttrack.fleet.live.journal import Kept
from disttrack.fleet.live.link import Security
from disttrack.fleet.live.server import ServerProcess
from disttrack.fleet.live.site import SiteProcess
from disttrack.fleet.quotas import Quota
from disttrack.simulator.errors import RunError

LISTEN: Final = 7400
SECURITY: Final = Security(TOKEN)
PAUSE: Final = 1.0
"""Seconds after which a supervisor starts a process again that has ended."""
END: Final = 2.0
"""Seconds in which a process must end after its signal."""
LEAVE: Final = 10.0
"""Seconds that a site waits at its end until the server knows all of its items."""


class Machine:
    """A machine with one process and its supervisor.

    The process ends with its machine: simloom then closes what the kernel closes of a process that has ended.

    Attributes
    ----------
    part
        The present `ServerProcess` or `SiteProcess`; None between two processes.
    ended
        When and why processes have ended by themselves.
    fed
        Whether it is fed from a file of items, in place of HTTP.
    starts_at
        When its first process starts.
    finished
        Whether its file of items has been taken to its end, and all is acknowledged: nothing starts again.
    """

    def __init__(self, fleet: Fleet, name: str, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        self.fleet, self.name, self._work = fleet, name, work
        self.host = fleet.world.host(name)
        self.ended: list[tuple[float, str]] = []
        self.fed = self.finished = False
        self.starts_at = 0.0
        self.part: Any = None
        self._process: asyncio.Task[None] | None = None
        self._over, self._may_start = asyncio.Event(), asyncio.Event()
        self._may_start.set()

    @property
    def connected(self) -> bool:
        """Whether its site is connected to the server."""
        return self.part is not None and self.part.connected.is_set()

    @property
    def starts(self) -> bool:
        """Whether the supervisor starts processes."""
        return self._may_start.is_set()

    async def supervise(self) -> None:
        """Start a process whenever there is none, for ever."""
        await asyncio.sleep(self.starts_at)
        await self._may_start.wait()
        self._over.clear()
        if self.host.crashed:
            self.host.restart()
        self.host.spawn(self._run)
        while True:
            await self._over.wait()
            if self.finished:
                self._over.clear()
                continue
            if self.starts:  # it has ended by itself
                self.kill()
                await asyncio.sleep(PAUSE)
            await self._may_start.wait()
            self._over.clear()
            self.host.restart()

    async def _run(self) -> None:
        self._process = asyncio.current_task()
        self.fleet.disks.down.discard(self.name)
        try:
            await self._work()
            self.finished = self.fed
            if self.fed:
                self.fleet.noted.items[self.part.number].take_file(LINES)
        except RunError as error:
            self.ended.append((self.fleet.world.time, str(error)))
        except asyncio.CancelledError:
            pass
        except Exception as error:
            self.fleet.noted.wrong.append(f"crash: {self.name}: {error!r}")
        self.part = None
        self._over.set()

    def kill(self) -> None:
        """Kill the process."""
        self.fleet.disks.at_write.pop(self.name, None)
        self.fleet.pauses.end(self.name)
        if not self.host.crashed:
            self.host.crash()
            self.fleet.disks.kill(self.name)
        self.part = None
        self._over.set()

    async def down(self, length: float, change: Callable[[], None] = lambda: None) -> None:
        """Kill the process, change something, and after this time let it start again."""
        self._may_start.clear()
        self.kill()
        change()
        await asyncio.sleep(length)
        self._may_start.set()

    async def stop(self, length: float) -> None:
        """Send the process its signal; after this time let it start again."""
        self._may_start.clear()
        self.fleet.pauses.end(self.name)  # who stops a process wakes it
        if self.part is not None and self._process is not None:
            self._process.cancel()
            with suppress(TimeoutError):
                async with asyncio.timeout(END):
                    await self._over.wait()
            if self.part is not None:
                self.fleet.noted.wrong.append(f"slow end: {self.name} has not ended {END:g} s after its signal")
        await self.down(length)


class Fleet:
    """A server and its sites.

    Attributes
    ----------
    lives
        How often the server has lost what it knew.
    noted
        What clients were answered.
    """

    def __init__(self, world: simloom.World, schedule: Schedule, disks: Disks) -> None:
        self.world, self.schedule, self.disks = world, schedule, disks
        self.made = schedule.made()
        self.quota = isinstance(self.made, Quota)
        self.noted = Noted([SiteItems() for _ in range(SITES)])
        self.pauses = Pauses(asyncio.get_running_loop())
        self.lives = 0
        self.committing = [True] * SITES
        self.commits_late = random.Random(f"{schedule.seed} commits").random() < 0.5
        self.leaving: set[str] = set()
        """Machines that take no items since they leave."""
        self.doubled: set[str] = set()
        """Machines whose messages arrive twice."""
        self.wall = 0.0
        """Seconds by which the wall clock of the server's machine has jumped."""
        self.boot = disks.path("boot")
        self.boot.write_text("first start")
        self.bursts = [0] * SITES
        self._steps = 0.0
        """When the next request may come, if there is to be one in a step."""
        self._age: Callable[[], float] = lambda: 0.0
        self._backups: dict[int, tuple[bytes, int]] = {}
        """Of each old journal, by the number of its fault: the content, and the items acknowledged then."""
        self.server = Machine(self, SERVER, self._serve)
        self.sites = [Machine(self, f"site{site}", lambda site=site: self._feed(site)) for site in range(SITES)]
        world.net.set_latency(min(0.0005, schedule.latency), schedule.latency)
        for machine in (self.server, *self.sites):
            self._near(machine)
        for site, seconds in schedule.late.items():
            self.sites[site].starts_at = seconds
        for site in () if self.quota else schedule.fed:
            self.sites[site].fed = True
            written(disks.path(f"{self.sites[site].name}.items"))
            self.noted.items[site].unsure = LINES

    def _near(self, machine: Machine) -> None:
        """Let messages between clients and a machine take no time."""
        self.world.net.set_link_latency(machine.host, None, 0.0, 0.0)
        self.world.net.set_link_latency(None, machine.host, 0.0, 0.0)

    def hurry(self) -> None:
        """Let messages between sites and the server take next to no time, whatever faults have set."""
        self.world.net.set_latency(0.0005, 0.002)
        for machine in self.sites:
            for one, other in ((machine.host, self.server.host), (self.server.host, machine.host)):
                self.world.net.set_link_latency(one, other, 0.0005, 0.002)

    def machine(self, place: str) -> Machine:
        """Return the machine that a fault strikes."""
        return self.server if place == SERVER else self.sites[int(place)]

    def age(self) -> float:
        """Return the seconds since the server's first window began, also while it is down."""
        return self._age()

    def next_step(self) -> float:
        """Return the seconds until a step without a request, and take it."""
        due = max(self.world.time, self._steps)
        self._steps = due + STEP
        return due - self.world.time

    def behind(self, number: int, machine: Machine) -> float:
        """Return the seconds by which a site's clock is behind the server's; 0 if there is no process any more."""
        if machine.part is None:
            return 0.0
        now = self.world.time
        shows = Clock(self.schedule.rates().get(machine.name, [])).shows(now)
        return self.age() - (machine.part.clock()[1] + shows - now)

    def stood(self, machine: Machine, since: float, *, from_then: bool = False) -> float:
        """Return the seconds of the pauses of a machine since a moment, or of those that began since then."""
        pauses = [one for one in self.schedule.faults if one.kind == "pause" and self.machine(one.place) is machine]
        first = (lambda one: one.at) if from_then else (lambda one: one.end)
        return sum(one.length for one in pauses if since <= first(one) and one.at <= self.world.time)

    # ------------------------------------------------------------------ processes

    async def _serve(self) -> None:
        kept = kept_server(self.made, SITES, self.disks.path(SERVER), 0, STEP)
        self.server.part = server = ServerProcess(kept, dict(kept.facts["entry"]), SECURITY, step=STEP)
        self._age = lambda: server.age
        await run_server(server, (SERVER, LISTEN), (SERVER, PORT))

    async def _feed(self, number: int, machine: Machine | None = None) -> None:
        machine = machine or self.sites[number]
        kept = Kept(self.disks.path(machine.name))
        machine.part = site = SiteProcess(number, (SERVER, LISTEN), kept, SECURITY)
        if machine.fed:
            items = items_of(self.disks.path(f"{machine.name}.items"))
            await run_sites({number: site}, items, None, read=paced(self.schedule.seed))
        else:
            await run_sites({number: site}, None, (machine.name, PORT))

    # ------------------------------------------------------------------ faults

    async def strike(self) -> None:
        """Have all faults happen, each at its time, and end."""
        await asyncio.gather(*(self._strike(number, fault) for number, fault in enumerate(self.schedule.faults)))

    async def _strike(self, number: int, fault: Fault) -> None:
        machine = self.machine(fault.place)
        if fault.kind == "rollback":
            await self._until(fault.at - fault.amount)
            self._backups[number] = self.disks.copy(machine.name), self._acknowledged(fault)
        await self._until(fault.at)
        await getattr(self, f"_{fault.kind.replace('-', '_')}")(machine, fault, number)

    def _heard_of(self, fault: Fault) -> int:
        """Return how many of the acknowledged items of a site the server knows at least."""
        if fault.place == SERVER or self.server.part is None:
            return 0
        return int(self.server.part.part.seen[int(fault.place)][0]) - self.noted.items[int(fault.place)].unsure

    def _acknowledged(self, fault: Fault) -> int:
        return 0 if fault.place == SERVER else self.noted.items[int(fault.place)].acknowledged

    async def _until(self, moment: float) -> None:
        await asyncio.sleep(max(0.0, moment - self.world.time))

    async def _latency(self, machine: Machine, fault: Fault, number: int) -> None:
        pairs = (machine.host, self.server.host), (self.server.host, machine.host)
        for one, other in pairs:
            self.world.net.set_link_latency(one, other, 0.0, fault.amount)
        await asyncio.sleep(fault.length)
        for one, other in pairs:
            self.world.net.set_link_latency(one, other, min(0.0005, self.schedule.latency), self.schedule.latency)

    async def _reset(self, machine: Machine, fault: Fault, number: int) -> None:
        self.world.net.reset_connections(machine.host, self.server.host)

    async def _partition(self, machine: Machine, fault: Fault, number: int) -> None:
        await self._cut(fault, (machine.host, self.server.host), (self.server.host, machine.host))

    async def _deaf(self, machine: Machine, fault: Fault, number: int) -> None:
        await self._cut(fault, (self.server.host, machine.host))

    async def _mute(self, machine: Machine, fault: Fault, number: int) -> None:
        await self._cut(fault, (machine.host, self.server.host))

    async def _cut(self, fault: Fault, *ways: tuple[simloom.Host, simloom.Host]) -> None:
        for way in ways:
            self.world.net.block(*way)
        await asyncio.sleep(fault.length)
        for way in ways:
            self.world.net.unblock(*way)

    async def _kill(self, machine: Machine, fault: Fault, number: int) -> None:
        for _ in range(int(fault.amount)):
            await asyncio.sleep(0)
        await machine.down(fault.length)

    async def _kill_write(self, machine: Machine, fault: Fault, number: int) -> None:
        def write(file: int, content: bytes) -> None:
            os.write(file, content[: int(len(content) * fault.amount)])
            machine.kill()

        self.disks.at_write[machine.name] = write
        while machine.name in self.disks.at_write and self.world.time < fault.at + WRITES:
            await asyncio.sleep(0.01)
        await machine.down(fault.length)

    async def _lose(self, machine: Machine, fault: Fault, number: int) -> None:
        self.lives += machine is self.server
        if machine.fed and not machine.finished:
            self.noted.items[int(fault.place)].unsure += LINES  # it is counted again, from its first line
        await machine.down(fault.length, lambda: self.disks.lose(machine.name))

    async def _rollback(self, machine: Machine, fault: Fault, number: int) -> None:
        self.lives += machine is self.server
        if machine.fed and not machine.finished:
            self.noted.items[int(fault.place)].unsure += LINES  # if the old journal is empty
        content, acknowledged = self._backups[number]
        known = max(acknowledged, self._heard_of(fault))
        if fault.place != SERVER and (lost := self._acknowledged(fault) - known) > 0:
            items = self.noted.items[int(fault.place)]  # nobody may know of those that the server has not heard of
            items.acknowledged, items.unsure = items.acknowledged - lost, items.unsure + lost
        await machine.down(fault.length, lambda: self.disks.restore(machine.name, content))

    async def _clone(self, machine: Machine, fault: Fault, number: int) -> None:
        name = f"{machine.name}-clone{number}"
        self.disks.restore(name, self.disks.copy(machine.name))
        await self._second(machine, fault, name)

    async def _second(self, machine: Machine, fault: Fault, name: str) -> None:
        """Have a second process take items or requests as a site."""
        site = int(fault.place)
        clone = Machine(self, name, lambda: self._feed(site, clone))
        self._near(clone)
        supervisor = asyncio.create_task(clone.supervise())
        self.noted.items.append(own := SiteItems())
        await load(self, site, clone, fault.end, own)
        supervisor.cancel()
        met = clone.connected
        await clone.stop(0.0)
        if not met:  # its items are in a journal that was refused, or that the server has never heard of
            own.acknowledged, own.unsure = 0, own.acknowledged + own.unsure

    async def _twin(self, machine: Machine, fault: Fault, number: int) -> None:
        self.disks.lose(f"{machine.name}-clone{number}")
        await self._second(machine, fault, f"{machine.name}-clone{number}")

    async def _reboot(self, machine: Machine, fault: Fault, number: int) -> None:
        await machine.down(fault.length, lambda: self.boot.write_text(f"start {number}"))

    async def _disk(self, machine: Machine, fault: Fault, number: int) -> None:
        self.disks.full.add(machine.name)
        await asyncio.sleep(fault.length)
        self.disks.full.discard(machine.name)

    async def _stop(self, machine: Machine, fault: Fault, number: int) -> None:
        await machine.stop(fault.length)

    async def _pause(self, machine: Machine, fault: Fault, number: int) -> None:
        self.pauses.begin(machine.name)
        await asyncio.sleep(fault.length)
        self.pauses.end(machine.name)

    async def _leave(self, machine: Machine, fault: Fault, number: int) -> None:
        site = machine.part
        if machine.fed:
            await machine.stop(fault.length)
        elif site is not None and site.ready.is_set():
            self.leaving.add(machine.name)
            leaving = asyncio.create_task(site.leave())
            await asyncio.wait({leaving}, timeout=LEAVE)
            leaving.cancel()
            await machine.stop(fault.length)
            self.leaving.discard(machine.name)

    async def _jump(self, machine: Machine, fault: Fault, number: int) -> None:
        self.wall += fault.amount

    async def _rate(self, machine: Machine, fault: Fault, number: int) -> None:
        await asyncio.sleep(fault.length)  # `sim_clocks` has it

    async def _stranger(self, machine: Machine, fault: Fault, number: int) -> None:
        self.noted.wrong += await intrude(SERVER, LISTEN, int(fault.place))
        if not machine.fed:
            self.noted.wrong += await refused(machine.name, "/admit" if self.quota else "/items", {"items": 1000})
        self.noted.wrong += await refused(SERVER, "/estimate")

    async def _burst(self, machine: Machine, fault: Fault, number: int) -> None:
        self.bursts[int(fault.place)] += int(fault.amount)

    async def _duplicate(self, machine: Machine, fault: Fault, number: int) -> None:
        self.doubled.add(machine.name)
        await asyncio.sleep(fault.length)
        self.doubled.discard(machine.name)

    async def _uncommitted(self, machine: Machine, fault: Fault, number: int) -> None:
        self.committing[int(fault.place)] = False
        await asyncio.sleep(fault.length)
        self.committing[int(fault.place)] = True

    # ------------------------------------------------------------------ the outside

    @contextmanager
    def outside(self) -> Iterator[None]:
        """For a block, machines stand still, a clock jumps, messages arrive twice, journals are soon states."""
        wall, write = time.time, simloom.SimTransport.write
        every, block, boot = journal.EVERY, tables.BLOCK, clock.BOOT

        def twice(transport: simloom.SimTransport, data: Any) -> None:
            owner = transport.owner
            if owner is not None and owner.crashed:  # the step in which a process is killed goes on to its end
                return
            write(transport, data)
            if owner is not None and owner.name in self.doubled and _is_messages(bytes(data)):
                write(transport, data)

        time.time = lambda: wall() + self.wall
        simloom.SimTransport.write = twice  # type: ignore[method-assign]
        journal.EVERY, tables.BLOCK, clock.BOOT = self.schedule.every, BLOCK, self.boot  # type: ignore[misc]
        try:
            with self.pauses.kept():
                yield
        finally:
            time.time = wall
            simloom.SimTransport.write = write  # type: ignore[method-assign]
            journal.EVERY, tables.BLOCK, clock.BOOT = every, block, boot  # type: ignore[misc]


def _is_messages(data: bytes) -> bool:
    """Return whether this begins with a message of the protocol: an array whose first number is `frames.MESSAGE`."""
    return len(data) > 1 and 0x90 <= data[0] <= 0x9F and data[1] == frames.MESSAGE
