"""How much more, or less, until a goal is reached, and how much can be lost before that changes.

What is counted is the pool of a side or the Might of one unit; `solver.amounts` has the answer for
every amount.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Final, TypeVar

from rules.board import SIDES, Assignment, Board, Combat, Unit, read_names
from rules.checks import flag, number
from rules.errors import BadRequest, described, did_you_mean, no_unit, shown
from rules.resolution import OTHER, units_of
from solver.amounts import GOALS, HOWS, How, InCombat, Names, OnBoard, Span, Wish, spans
from solver.causes import Cause, cause
from solver.limits import Clock, LimitReached
from solver.reasons import Reason

Word = TypeVar("Word", bound=str)

_ON_A_BOARD: Final[tuple[How, ...]] = ("possible", "certain")
"""There only the assigner decides, so that what is possible can be forced."""


class Margin:
    """At which amounts of the pool, or of one unit's Might, a goal is reached.

    `unit` is the unit whose Might is counted, None for the pool; `now` the present amount, in
    points or in units of Might; `spans` the amounts at which the goal is reached, ascending;
    `side` and `how` say who asks, and whether it has to be possible, forced or certain.
    """

    def __init__(self, asked: OnBoard | InCombat, clock: Clock) -> None:
        self._asked = asked
        self._clock = clock
        self.question = asked.question
        self.wish = asked.wish
        self.side = asked.side if isinstance(asked, InCombat) else None
        self.how = asked.how
        self.unit = None if asked.unit is None else asked.unit.name
        self.now = asked.now
        with clock.running():
            self.spans = spans(asked.runs())

    def __bool__(self) -> bool:
        return self.reached

    def __repr__(self) -> str:
        what = "pool" if self.unit is None else f"Might of {self.unit}"
        return f"<Margin of the {what}, now {self.now}: reached in {list(self.spans)}>"

    def again(self, question: Board | Combat) -> Margin:
        """The margin of the same goal on a question about the same units."""
        wish = self.wish
        return margin(
            question,
            kill=wish.kill,
            spare=wish.spare,
            excess=wish.excess,
            goal=wish.goal,
            side=self.side,
            how=self.how,
            unit=self.unit,
        )

    def extremes(self) -> Iterator[Board]:
        """Boards among which one shows it if a reading could matter at any of the amounts."""
        return self._asked.extremes()

    @property
    def here(self) -> Span | None:
        """The amounts around the present one at which the goal is reached, if it is."""
        return next((span for span in self.spans if _is_within(self.now, span)), None)

    @property
    def reached(self) -> bool:
        """Is the goal reached at the present amount?"""
        return self.here is not None

    @property
    def above(self) -> Span | None:
        """The next amounts above the present one at which the goal is reached."""
        higher = [span for span in self.spans if span[0] is not None and span[0] > self.now]
        return higher[0] if higher else None

    @property
    def below(self) -> Span | None:
        """The next amounts below the present one at which the goal is reached."""
        lower = [span for span in self.spans if span[1] is not None and span[1] < self.now]
        return lower[-1] if lower else None

    @property
    def more(self) -> int | None:
        """The least that has to be added, 0 if nothing; None where no addition does it."""
        if self.reached:
            return 0
        low = None if self.above is None else self.above[0]
        return None if low is None else low - self.now

    @property
    def less(self) -> int | None:
        """The least that has to be taken away, 0 if nothing; None where no loss does it."""
        if self.reached:
            return 0
        high = None if self.below is None else self.below[1]
        return None if high is None else self.now - high

    @property
    def may_gain(self) -> int | None:
        """The most that can be added without changing the answer; None for no end."""
        if self.here is not None:
            return None if self.here[1] is None else self.here[1] - self.now
        return None if self.more is None else self.more - 1

    @property
    def may_lose(self) -> int | None:
        """The most that can be taken away without changing the answer; None if all of it can."""
        if self.here is not None:
            return None if self.here[0] is None else self.now - self.here[0]
        return None if self.less is None else self.less - 1

    @property
    def at(self) -> int | None:
        """The amount nearest to the present one at which the goal is reached, the larger of two."""
        if self.more is not None and (self.less is None or self.more <= self.less):
            return self.now + self.more
        return None if self.less is None else self.now - self.less

    @cached_property
    def example(self) -> tuple[Board, Assignment] | None:
        """What the side that asks has to decide at that amount, and how it reaches the goal.

        None where there is no such amount, where every assignment does it, where the Defender has
        to see first what the Attacker assigns, and where it was not found within the limits.
        """
        if self.at is None:
            return None
        try:
            with self._clock.running():
                return self._asked.example(self.at)
        except LimitReached:
            return None

    @property
    def assignment(self) -> Assignment | None:
        """The assignment of that example, in points."""
        return None if self.example is None else self.example[1]

    @cached_property
    def cause(self) -> Cause:
        """Why the goal is not reached, as far as is known; empty where it is reached."""
        if self.reached:
            return Cause()
        try:
            with self._clock.running():
                return cause(self._asked, ever=bool(self.spans))
        except LimitReached as limit:
            return Cause(cut=limit.why)

    @property
    def reason(self) -> Reason | None:
        """Why the goal is not reached at the present amount or, where it never is, with any pool.

        None where the goal is reached, where no cause is known, and where none was found within the
        limits.
        """
        return self.cause.reason

    @cached_property
    def is_ever_possible(self) -> bool:
        """Is there an amount at which some assignment reaches the goal, though not every one?

        True too where a limit keeps it from being known.
        """
        try:
            with self._clock.running():
                return bool(self.spans or spans(self._asked._replace(how="possible").runs()))
        except LimitReached:
            return True

    @property
    def because(self) -> Names | None:
        """The ids of the rules of that reason; none where the demand contradicts itself."""
        return None if self.reason is None else self.reason.ids


def margin(
    question: Board | Combat,
    *,
    kill: Iterable[str] = (),
    kill_all: bool = False,
    spare: Iterable[str] = (),
    excess: int = 0,
    goal: str | None = None,
    side: str | None = None,
    how: str | None = None,
    unit: str | None = None,
    time_limit: float | None = None,
) -> Margin:
    """How much more of the pool, or of the Might of `unit`, a goal takes, and what can be lost.

    On a board the goal is units to `kill` (all that are not spared with `kill_all`) and to `spare`
    and a least `excess`, which some legal assignment reaches (`how="possible"`) or every one does
    ("certain"). In a combat it is that, units of both sides, or one of `GOALS` for a `side`, the
    Attacker unless said otherwise; "forced", what is meant there, is what the side can make sure of
    whatever the other assigns. Nothing but the one amount is changed. Raises `BadRequest` for
    unknown words, and `LimitReached` when the time limit, in seconds, comes first.

    >>> from rules import parse
    >>> found = margin(parse("5 into 6T 2"), kill=["B"])
    >>> found.more, found.assignment
    (3, (6, 2))
    >>> margin(parse("6 2 vs 5 4N"), goal="stay", unit="A1").more
    1
    """
    if not isinstance(question, (Board, Combat)):
        given = described(question)
        raise BadRequest(f"expected a board or a combat, not {given}; rules.parse makes one")
    everybody = _everybody(question)
    one = None if unit is None else _named(everybody, unit)
    if isinstance(question, Combat):
        if question.attacker_assigns is not None or question.defender_assigns is not None:
            raise BadRequest("a margin is asked before anybody assigns: leave assignments out")
        asking = _word(side, SIDES, "side", "attacker")
        wish = _wish(everybody, units_of(question, OTHER[asking]), kill, kill_all, spare, excess)
        if goal is not None:
            if any(wish):
                raise BadRequest(
                    "a goal stands alone, without units to kill, to spare or an excess"
                )
            wish = Wish(goal=_word(goal, GOALS, "goal", "stay"))
        if not any(wish):
            raise BadRequest("say what for: a goal, units to kill or to spare, or an excess")
        in_combat = InCombat(question, wish, asking, _word(how, HOWS, "how", "forced"), one)
        return Margin(in_combat, Clock(time_limit))
    for word, given in (("goal", goal), ("side", side)):
        if given is not None:
            raise BadRequest(f"a {word} is for a combat, and this is a board", f"$.{word}")
    wish = _wish(everybody, everybody, kill, kill_all, spare, excess)
    if not any(wish):
        raise BadRequest("say what for: units to kill or to spare, or an excess")
    chosen = _word(how, _ON_A_BOARD, "how", "possible")
    return Margin(OnBoard(question, wish, chosen, one), Clock(time_limit))


def _everybody(question: Board | Combat) -> tuple[Unit, ...]:
    if isinstance(question, Board):
        return question.units
    return (*question.attackers, *question.defenders)


def _wish(
    everybody: Sequence[Unit],
    enemies: Sequence[Unit],
    kill: Iterable[str],
    kill_all: bool,
    spare: Iterable[str],
    excess: int,
) -> Wish:
    """What is wished for among these units, checked; with `kill_all` no enemy is to be left."""
    killed = read_names(everybody, kill, "$.kill")
    spared = read_names(everybody, spare, "$.spare")
    if flag(kill_all, "$.kill_all"):
        left = [unit.name for unit in enemies if unit.name not in spared]
        killed = read_names(everybody, (*killed, *left), "$.kill")
        if not killed:
            raise BadRequest("there is nobody to kill", "$.kill_all")
    return Wish(killed, spared, number(excess, "$.excess"))


def _named(units: Sequence[Unit], name: object) -> Unit:
    """The unit of that name. Raises `BadRequest` where there is none."""
    for unit in units:
        if unit.name == name:
            return unit
    raise BadRequest(no_unit(name, (unit.name for unit in units)), "$.unit")


def _word(given: object, known: tuple[Word, ...], what: str, default: Word) -> Word:
    """One of the known words, the default where none is given. Raises `BadRequest` for another."""
    if given is None:
        return default
    for word in known:
        if given == word:
            return word
    words = f"{', '.join(known[:-1])} or {known[-1]}"
    hint = did_you_mean(given, known) if isinstance(given, str) else ""
    raise BadRequest(f"{what} is {words}, not {shown(given)}{hint}", f"$.{what}")


def _is_within(amount: int, span: Span) -> bool:
    low, high = span
    return (low is None or low <= amount) and (high is None or amount <= high)
