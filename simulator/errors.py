"""What can be wrong with what a user gave, and what can go wrong while it runs."""

from __future__ import annotations


class ScenarioError(Exception):
    """The user's input is wrong; the message says where, what, and what is accepted, in one line.

    The command line prints the message and ends with status 2.
    """


class MoveError(ScenarioError):
    """An adversary named a site that does not exist; the message has the step."""


class MessageError(ScenarioError):
    """A protocol sent a message that cannot be counted; the line has the sender, the kind and the words."""


class RunError(Exception):
    """The input was right but the run could not be finished: a full disk, a cluster that has gone.

    The command line prints the message and ends with status 1; finished games are kept.
    """
