"""What may stand under a scenario's `network`, as pydantic models. What it means: `simulator.game.network`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from disttrack.simulator.claims.claim import LARGEST, Strict, not_bool

Steps = Annotated[int, Field(ge=1, le=LARGEST), BeforeValidator(not_bool)]
WarmUp = Annotated[int, Field(ge=0, le=LARGEST), BeforeValidator(not_bool)]
Delay = Annotated[float, Field(ge=0, allow_inf_nan=False), BeforeValidator(not_bool)]
Mean = Annotated[float, Field(gt=0, allow_inf_nan=False), BeforeValidator(not_bool)]
Chance = Annotated[float, Field(ge=0, le=1), BeforeValidator(not_bool)]
Factor = Annotated[float, Field(ge=1, allow_inf_nan=False), BeforeValidator(not_bool)]
Sites = Annotated[str | int, BeforeValidator(not_bool)]
State = Literal["kept", "lost"]


class Exponential(Strict):
    """Delays drawn from an exponential distribution."""

    exponential: Mean = Field(description="Mean, in steps.")


class Between(Strict):
    """The ends of a uniform distribution."""

    from_: Delay = Field(alias="from", description="Least delay, in steps.")
    to: Delay = Field(description="Largest delay, in steps.")


class Uniform(Strict):
    """Delays drawn from a uniform distribution."""

    uniform: Between = Field(description="{from: least, to: largest}, in steps.")


class LognormalParameters(Strict):
    """Parameters of a lognormal distribution."""

    median: Mean = Field(description="Median, in steps.")
    sigma: Delay = Field(description="Standard deviation of the logarithm.")


class Lognormal(Strict):
    """Delays drawn from a lognormal distribution."""

    lognormal: LognormalParameters = Field(description="{median: steps, sigma: of the logarithm}.")


Latency = Delay | Exponential | Uniform | Lognormal


class Far(Strict):
    """Sites whose messages take another time."""

    sites: Sites = Field("all", description="all, a site's number, or ranges: 0-3,7.")
    latency: Latency = Field(description="Of their messages, in both directions.")


class Partition(Strict):
    """Some sites and the server cannot reach each other for a while."""

    sites: Sites = Field("all", description="all, a site's number, or ranges: 0-3,7.")
    from_: Steps = Field(alias="from", description="First step.")
    to: Steps = Field(description="Last step.")


class Crash(Strict):
    """Sites that stop for a while."""

    sites: Sites = Field("all", description="all, a site's number, or ranges: 0-3,7.")
    at: Steps | None = Field(None, description="The step at whose end each crashes, once; or a rate.")
    rate: Chance | None = Field(None, description="Crashes of each site a step, on average.")
    down: Steps = Field(description="Steps for which a site is down.")
    state: State = Field("kept", description="Whether it has its state when it is back, or all but its items is lost.")
    readmit: bool = Field(True, description="Whether one that lost its state comes back by the protocol's rule.")


class Restart(Strict):
    """A server that stops for a while."""

    at: Steps | None = Field(None, description="The step at whose end it stops, once; or a rate.")
    rate: Chance | None = Field(None, description="How often it stops a step, on average.")
    down: Steps = Field(description="Steps for which it is down.")
    state: State = Field("kept", description="Whether it has its state when it is back, or asks all sites anew.")
    checkpoint: Steps | None = Field(None, description="Steps between savings of its output; left out for none.")


class Link(Strict):
    """Parameters of a reliable link."""

    timeout: Steps | None = Field(None, description="Steps until a packet is sent again; by the latency if left out.")
    backoff: Factor = Field(2.0, description="Factor by which each further pause is longer.")
    longest: Steps | None = Field(None, description="The longest pause; 8 times the timeout if left out.")


class Network(Strict):
    """What becomes of messages on their way, and of those who send them."""

    latency: Latency = Field(
        0.0, description="Steps: a constant, or {exponential: mean}, {uniform: …}, {lognormal: …}."
    )
    latency_down: Latency | None = Field(None, description="Of the server's messages; as latency if left out.")
    far: Far | None = Field(None, description="Sites whose messages take another time.")
    loss: Chance = Field(0.0, description="Probability that a message is lost.")
    duplication: Chance = Field(0.0, description="Probability that a message arrives twice.")
    reordering: Chance = Field(0.0, description="Probability that later messages overtake a message.")
    partition: Partition | None = Field(None, description="A window of time in which sites are cut off.")
    crash: Crash | None = Field(None, description="Sites that stop for a while.")
    server: Restart | None = Field(None, description="A server that stops for a while.")
    link: Literal["reliable", "bare"] | Link = Field(
        "bare", description="reliable, bare, or a reliable one's parameters."
    )
    warm_up: WarmUp = Field(0, description="Steps at the beginning that the verdict leaves out.")
