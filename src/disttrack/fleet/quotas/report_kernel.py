"""What quotas with reports do with the state of a game as arrays: one limit, or several with reports of their own.

As in `disttrack.fleet.quotas.kernel`, the functions are plain Python, written to be compiled.
"""

from __future__ import annotations

from disttrack.fleet.quotas import state
from disttrack.fleet.quotas.amounts import late_by, shrunk
from disttrack.fleet.quotas.kernel import CHARGES
from disttrack.fleet.quotas.mail import COST, NUMBER, OF, posts
from disttrack.fleet.quotas.state import Mail, Number, Whole
from disttrack.protocols.letters import FROM, KIND, VALUE

LIMITS, SHRINKS, SKEW = range(state.OWN_WHOLE, state.OWN_WHOLE + 3)
"""The number of limits, how sizes shrink, and by how much the clock of the last site is late."""
PARTS = CHARGES
MOST, TIMES, SMALLEST, SPENT, SIZE_NOW, SIZE_OVER, STOPPED, NUMBERS = range(8)
"""Of each limit, from `PARTS` on: the limit, how many windows one of its windows has, the smallest size, what is spent,
the present size, what is spent when that is over, and whether all are stopped."""
JOINING, EARLY_OF, EARLY_SIZE, EARLY_STOP, FIRST = range(state.OWN, state.OWN + 5)
"""Of a site, whether it has come and not heard what is spent; of what came early for the next window, where one limit
is kept, the window, the last size, 0 for none, and whether all are stopped."""
PART_LEFT, PART_HELD, SIZE, COLUMNS = range(4)
"""Of a site and each limit, from `FIRST` on: what it may admit and has not reported of it, and the size of a report."""
REPORT, TOTAL, JOIN, STATE, STOP, NEW_SIZE = range(6)


def closes_reports(whole: Whole, sites: Whole) -> None:
    """Begin a window of `StopServer`."""
    for part in range(PARTS, PARTS + NUMBERS * whole[LIMITS], NUMBERS):
        if whole[state.NOW] % whole[part + TIMES] == 0:
            whole[part + SPENT] = whole[part + STOPPED] = 0
            size = whole[part + SIZE_NOW] = shrunk(whole[part + MOST], whole[SHRINKS], whole[part + SMALLEST])
            whole[part + SIZE_OVER] = len(sites) * size


def ends_reports(whole: Whole, sites: Whole, site: Number) -> None:
    """Forget what belongs to windows that end, or to a life."""
    for number in range(whole[LIMITS]):
        if not sites[site, state.PRESENT] or sites[site, state.TURNS] % whole[PARTS + NUMBERS * number + TIMES] == 0:
            own = FIRST + COLUMNS * number
            sites[site, own + PART_LEFT] = sites[site, own + PART_HELD] = 0


def opens_reports(whole: Whole, sites: Whole, mail: Mail, site: Number) -> None:
    """Begin a window of `ReportSite`, or of `SeveralSite`, with what came early."""
    asks = sites[site, JOINING] and late_by(whole[SKEW], site, len(sites))
    if asks:
        asks_state(whole, sites, mail, site)
    for number in range(0 if asks else whole[LIMITS]):
        part, own = PARTS + NUMBERS * number, FIRST + COLUMNS * number
        if sites[site, state.TURNS] % whole[part + TIMES] == 0:
            sites[site, own + PART_LEFT] = whole[part + MOST]
            sites[site, own + SIZE] = shrunk(whole[part + MOST], whole[SHRINKS], whole[part + SMALLEST])
    if sites[site, EARLY_OF] == sites[site, state.TURNS]:
        sites[site, FIRST + SIZE] = sites[site, EARLY_SIZE] or sites[site, FIRST + SIZE]
        sites[site, FIRST + PART_LEFT] *= 1 - sites[site, EARLY_STOP]
    has_least(whole, sites, site)


def has_least(whole: Whole, sites: Whole, site: Number) -> None:
    """Let a site admit what it may by all limits."""
    left = sites[site, FIRST + PART_LEFT]
    for number in range(1, whole[LIMITS]):
        left = min(left, sites[site, FIRST + COLUMNS * number + PART_LEFT])
    sites[site, state.LEFT] = left


def charged_report(whole: Whole, sites: Whole, mail: Mail, site: Number, price: Number) -> None:
    """Count what was admitted by each limit, or given back, and report once enough is held."""
    cost, sites[site, state.HELD] = sites[site, state.HELD], 0
    for number in range(whole[LIMITS]):
        own = FIRST + COLUMNS * number
        sites[site, own + PART_LEFT] -= cost
        sites[site, own + PART_HELD] += cost
        if sites[site, own + PART_HELD] >= sites[site, own + SIZE]:
            reports(whole, sites, mail, site, number)


def leaves_report(whole: Whole, sites: Whole, mail: Mail, site: Number) -> None:
    """Report what is held."""
    for number in range(whole[LIMITS]):
        own = FIRST + COLUMNS * number
        sites[site, own + PART_HELD] += sites[site, state.HELD]
        if sites[site, own + PART_HELD]:
            reports(whole, sites, mail, site, number)


def reports(whole: Whole, sites: Whole, mail: Mail, site: Number, number: Number) -> None:
    """Send a report for a limit."""
    held = FIRST + COLUMNS * number + PART_HELD
    letter = mail[state.LETTERS][posts(whole, sites, mail, site, 1, REPORT, 1)]
    letter[VALUE], letter[COST] = sites[site, held], number
    sites[site, held] = 0


def joins_report(whole: Whole, sites: Whole, mail: Mail, site: Number) -> None:
    """Come, with nothing that came early."""
    sites[site, JOINING], sites[site, EARLY_OF] = 1, 0
    asks_state(whole, sites, mail, site)


def asks_state(whole: Whole, sites: Whole, mail: Mail, site: Number) -> None:
    """Ask for the state of each limit."""
    for number in range(whole[LIMITS]):
        letter = mail[state.LETTERS][posts(whole, sites, mail, site, 1, JOIN, 1)]
        letter[VALUE], letter[COST] = 0, number


def hears_report(whole: Whole, sites: Whole, mail: Mail, letter: Whole) -> None:
    """Have a `StopServer` take a report, or the question of a site that comes."""
    number = letter[COST]
    part = PARTS + NUMBERS * number
    if letter[OF] // whole[part + TIMES] < whole[state.NOW] // whole[part + TIMES]:
        return
    whole[part + SPENT] += letter[VALUE]
    rest = whole[part + MOST] - whole[part + SPENT]
    if letter[KIND] == JOIN:
        said = mail[state.LETTERS][posts(whole, sites, mail, letter[FROM], 0, STATE, 1)]
        said[VALUE] = 0 if whole[part + STOPPED] else rest
        said[NUMBER], said[COST] = whole[part + SIZE_NOW], number
        return
    if whole[part + STOPPED]:
        return
    if rest <= 0:
        whole[part + STOPPED] = 1
        tells_all(whole, sites, mail, STOP, 0, number)
    elif whole[part + SPENT] >= whole[part + SIZE_OVER] and whole[part + SIZE_NOW] != whole[part + SMALLEST]:
        size = whole[part + SIZE_NOW] = shrunk(rest, whole[SHRINKS], whole[part + SMALLEST])
        whole[part + SIZE_OVER] = whole[part + SPENT] + len(sites) * size
        tells_all(whole, sites, mail, NEW_SIZE, size, number)


def tells_all(whole: Whole, sites: Whole, mail: Mail, kind: Number, value: Number, number: Number) -> None:
    """Send a message about a limit to all sites."""
    whole[state.BROADCASTS] += 1
    for site in range(len(sites)):
        letter = mail[state.LETTERS][posts(whole, sites, mail, site, 0, kind, 1)]
        letter[VALUE], letter[COST] = value, number


def hears_size(whole: Whole, sites: Whole, mail: Mail, letter: Whole) -> None:
    """Have a `ReportSite` take a size, a stop or the state of a limit, if its window is not over."""
    site, number = letter[FROM], letter[COST]
    times, own = whole[PARTS + NUMBERS * number + TIMES], FIRST + COLUMNS * number
    if letter[OF] // times != sites[site, state.TURNS] // times:
        return
    if letter[KIND] == STOP:
        sites[site, own + PART_LEFT] = 0
    elif letter[KIND] == NEW_SIZE:
        sites[site, own + SIZE] = letter[VALUE]
        if sites[site, own + PART_HELD] >= sites[site, own + SIZE]:
            reports(whole, sites, mail, site, number)
    else:
        sites[site, own + PART_LEFT], sites[site, own + SIZE] = letter[VALUE], letter[NUMBER]
        sites[site, JOINING] = 0
    has_least(whole, sites, site)


def keeps_size(whole: Whole, sites: Whole, mail: Mail, letter: Whole) -> None:
    """Keep a size or a stop for the next window."""
    site = letter[FROM]
    if sites[site, EARLY_OF] != letter[OF]:
        sites[site, EARLY_OF] = letter[OF]
        sites[site, EARLY_SIZE] = sites[site, EARLY_STOP] = 0
    if letter[KIND] == STOP:
        sites[site, EARLY_STOP] = 1
    else:
        sites[site, EARLY_SIZE] = letter[VALUE]
