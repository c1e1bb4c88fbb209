"""The state of a game of quotas as arrays of whole numbers: the places of the numbers.

An array `whole` has the numbers of the game and of the server, of which those of `disttrack.protocols.letters` are the
first, an array `sites` a row per site, and the arrays of `mail`, a tuple, what is on its way, and what is noted.
"""

from __future__ import annotations

from disttrack.protocols.letters import ARRIVALS as ARRIVALS
from disttrack.protocols.letters import CHAINS as CHAINS
from disttrack.protocols.letters import FIRST_CHAIN as FIRST_CHAIN
from disttrack.protocols.letters import FLYING as FLYING
from disttrack.protocols.letters import HEARD_CHAIN as HEARD_CHAIN
from disttrack.protocols.letters import LETTERS as LETTERS
from disttrack.protocols.letters import LOST as LOST
from disttrack.protocols.letters import NEXT_CHAIN as NEXT_CHAIN
from disttrack.protocols.letters import OF_GAME, OF_GAMES_MAIL
from disttrack.protocols.letters import SENT_BEFORE as SENT_BEFORE
from disttrack.protocols.letters import STEP as STEP
from disttrack.protocols.letters import Mail as Mail
from disttrack.protocols.letters import Number as Number
from disttrack.protocols.letters import Whole as Whole

# ---- whole numbers
(
    # where in the present step the game is, the act by the clocks and the place within that; requests by its end
    PHASE, ACT, AT, SENT,
    # the last steps of game and plan, and the step before the plan
    LAST, END, BEGUN,
    # the plan's form, its site or change, the steps of the plan before its labels or the runs before the present one,
    # the step in which a try began
    PLAN, SITE, BEFORE, SINCE,
    # whether changes interest the adversary, whether the game is one that arrays cannot play, and whether the server is
    # to decide what takes more than arrays, 1, or has done so, 2
    REACTS, BROKEN, DECIDES,
    # what may be admitted at once, the reserve, the cheapest price, the window, and the periods: of turns, settlings,
    # flushes and looks; whether turns are those of slots, and whether sites take letters of any window; the turns of
    # the server
    LIMIT, RESERVE, LEAST, WINDOW, PERIOD, SETTLE, EVERY, LOOK, SLOTTED, ANY_WINDOW, NOW,
    # the steps of the next turn of the server, and of a site, settling, flush and look, of the first step that is
    # judged, and of the first of these; the flushes so far
    TURN_AT, SITES_TURN_AT, SETTLE_AT, FLUSH_AT, LOOK_AT, JUDGE_AT, CLOCK_AT, FLUSHES,
    # costs offered and admitted, requests rejected and admitted, steps that the latter waited
    OFFERED_COST, ADMITTED_COST, REJECTED, ADMISSIONS, WAITED,
    # changes of answers, and of outputs; the output that is judged, and the step of its last change; changes of answers
    # that the adversary has not seen; whether the first step had a request
    CHANGES, OUTPUTS, OUTPUT, CHANGED_AT, UNSEEN, IN_FIRST,
    # output and requests where the error was highest and lowest, no requests if there is none
    HIGH, HIGH_ITEMS, LOW, LOW_ITEMS,
    # of the error with allowance for messages on their way: the output, the oldest chain's step and requests before,
    # the step since when these hold, the requests at its end and at the end of the first step that is judged; the lag
    LAG_OUTPUT, LAG_OLDEST, LAG_BEFORE, LAG_SINCE, LAG_ITEMS, FIRST_ITEMS, MOST_LAG, WARM_UP,
    # deaths, and whether a site was away
    DIED, AWAY,
    # rows that are written: of the timeline, looks and admissions; of these the offers, the admissions and the most
    ROW, LOOKS, NOTES, NOTED_OFFERS, NOTED_ADMISSIONS, MOST_NOTES,
    # the first free place of a request that waits
    FREE_WAIT,
    # messages and words in all, broadcasts, the limit of a window, and the messages of each kind; then what the kind's
    # own functions say
    MESSAGES, WORDS, BROADCASTS, RATE, SENT_OF, OWN_WHOLE,
) = (*range(OF_GAME, 85), 91)  # fmt: skip

# ---- a site: what it may admit and has not reported, its place in the costs, what it has admitted, the same by the
# last settling and by what is settled, whether it is there, its last answer or -1, its window and the step in which the
# next one begins; the first and the last request that wait, and their number; messages; what it was asked in the
# present window; then its kind's own
(
    LEFT, HELD, PLACE, ADMITTED, SITE_COST, KNOWN, KNOWN_COST, SETTLED, SETTLED_COST, PRESENT, ANSWER, TURNS,
    TURNS_AT, FIRST_WAIT, LAST_WAIT, WAITING, UP, DOWN, WANTED, OWN,
) = range(20)  # fmt: skip

# ---- mail, after what every mail has: requests that wait, notes of requests, the sites that answer another way, a
# server's weights of its sites, the fair share of each site, and the extremes of the error with allowance for messages
# on their way
WAITS, NOTED, CHANGED, WEIGHTS, FAIR, EXTREMES = range(OF_GAMES_MAIL, OF_GAMES_MAIL + 6)
