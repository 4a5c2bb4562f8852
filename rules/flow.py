"""A combat from staged to over: staging, the Showdown, the damage step, the resolution.

459 to 466 and what they rest on, as an ordered list of steps, each with the number of its rule.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice, pairwise, permutations
from math import factorial, prod
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec

from rules.board import Arrivals, Assigner, Assignment, Combat, Side, Unit
from rules.editions import edition
from rules.errors import BadRequest
from rules.lethal import contribution, deaths, need
from rules.position import Position, enumerate_words
from rules.resolution import OTHER, ROLES, Outcome, question, resolve, units_of
from rules.rule import Violation
from rules.rulebook import violations
from rules.situation import Battlefield, Situation

if TYPE_CHECKING:
    import networkx as nx

Status = Literal["none", "waiting", "pick", "open", "over", "restaged"]
"""How far a situation comes: no Combat is staged; one is, but cannot begin yet; the Turn Player has
to pick; the damage step waits for assignments; the Combat is over; or it is staged again."""

FIRST_ORDERS: Final = 6
"""How many orders of the triggers a flow shows."""


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that happens, in a sentence, by the rule that makes it happen."""

    rule: str
    number: str | None
    text: str


class Chain(msgspec.Struct, frozen=True, kw_only=True):
    """In how many orders the triggers of the first step can go on the chain, and the first few."""

    orders: int
    first: tuple[tuple[str, ...], ...]


class Flow(msgspec.Struct, frozen=True, kw_only=True):
    """The course of a combat: its steps, how far it comes, and who has which part in it.

    `staged` are the battlefields with a staged Combat, `invalid` by battlefield the players for
    whom it is no valid destination, `picks` the player whose pick it is. `combat` is the question
    of the damage step, `outcome` the ending where both assignments are known, `violations` what is
    against the rules in them.
    """

    edition: str
    status: Status
    steps: tuple[Step, ...]
    staged: tuple[str, ...] = ()
    invalid: dict[str, tuple[str, ...]] = {}
    picks: str | None = None
    battlefield: str | None = None
    attacker: str | None = None
    defender: str | None = None
    focus: str | None = None
    chain: Chain | None = None
    combat: Combat | None = None
    outcome: Outcome | None = None
    violations: tuple[Violation, ...] = ()


def play(situation: Situation) -> Flow:
    """The course of the next combat, as far as it is determined.

    Raises `BadRequest` for a pick that is not the Turn Player's to make, and for assignments that
    do not fit the combat.
    """
    return _Course(situation).run()


def chain_graph(situation: Situation, attacker: str, defender: str) -> nx.DiGraph[str]:
    """Which trigger goes on the chain before which, as a graph of triggers named with their player.

    [464.2.e.1] The Attacker's, then everyone else's but the Defender's in turn order, then the
    Defender's; a player orders their own. Every topological order of the graph is a legal order.
    """
    import networkx as nx

    graph: nx.DiGraph[str] = nx.DiGraph()
    groups = list(trigger_groups(situation, attacker, defender).values())
    for group in groups:
        graph.add_nodes_from(group)
    for earlier, later in pairwise(groups):
        edges = ((u, v) for u in earlier for v in later)
        graph.add_edges_from(edges, rules=("combat_chain_order",))
    return graph


def trigger_groups(situation: Situation, attacker: str, defender: str) -> dict[str, list[str]]:
    """The triggers of each player who has any, in the order in which the players come."""
    others = [player for player in situation.turn_order if player not in (attacker, defender)]
    groups: dict[str, list[str]] = {}
    times: dict[str, int] = {}
    for player in (attacker, *others, defender):
        for trigger in situation.triggers.get(player, ()):
            # One ability may trigger several times; each time has a name of its own.
            told = name = f"{player}: {trigger}"
            while name in times:
                times[told] += 1
                name = f"{told} ({times[told]})"
            times[name] = 1
            groups.setdefault(player, []).append(name)
    return groups


def chain_orders(groups: Iterable[Sequence[str]]) -> Iterator[tuple[str, ...]]:
    """Every order in which the triggers of the groups can go on the chain, one at a time."""
    triggers = list(groups)
    turns = [permutations(group) for group in triggers]
    current = [next(orders) for orders in turns]
    while True:
        yield tuple(chain.from_iterable(current))
        # Like a counter: the last group that has another order takes it, those after it start anew.
        for i in reversed(range(len(triggers))):
            another = next(turns[i], None)
            if another is not None:
                current[i] = another
                break
            turns[i] = permutations(triggers[i])
            current[i] = next(turns[i])
        else:
            return


class _Course:
    """One situation on its way: what has been said so far, and who is who."""

    def __init__(self, situation: Situation) -> None:
        self.situation = situation
        self.edition = edition(situation.edition)
        self.steps: list[Step] = []
        self.known: dict[str, Any] = {}

    def say(self, rule: str, text: str) -> None:
        """Add a step, if the edition has the rule."""
        if rule in self.edition:
            self.steps.append(Step(rule=rule, number=self.edition.number(rule), text=text))

    def end(self, status: Status) -> Flow:
        key = self.edition.key
        return Flow(edition=key, status=status, steps=tuple(self.steps), **self.known)

    def run(self) -> Flow:
        staged = self._staged()
        if not staged:
            return self.end("none")
        if (waits := self._waits(staged)) is not None:
            self.say("combat_occurs", waits)
            return self.end("waiting")
        site = self._picked(staged)
        if site is None:
            return self.end("pick")
        return self._combat(site, [other for other in staged if other is not site])

    def _staged(self) -> list[Battlefield]:
        """The battlefields where a Combat is staged and stays so until one can open."""
        staged = []
        invalid = {}
        for site in self.situation.battlefields:
            two = site.players()
            if len(two) < 2:
                continue
            self.say(
                "combat_staged", f"A Combat of {two[0]} and {two[1]} is staged at {site.name}."
            )
            outside = [p for p in self.situation.players if p not in two]
            if outside:
                who = enumerate_words(outside)
                invalid[site.name] = tuple(outside)
                self.say(
                    "combat_invalid_destination",
                    f"For {who} {site.name} is no valid destination to move units to.",
                )
                self.say("combat_invalid_play", f"{who} cannot play units to {site.name}.")
            if len(site.players(site.leaves)) == 2:
                staged.append(site)
            else:
                gone = enumerate_words(list(site.leaves))
                self.say(
                    "combat_unstaged",
                    f"{gone} leaves first, so the Combat at {site.name} never happens.",
                )
        self.known["invalid"] = invalid
        self.known["staged"] = tuple(site.name for site in staged)
        return staged

    def _waits(self, staged: list[Battlefield]) -> str | None:
        """Why no Combat can begin in this cleanup, None if one can."""
        if not self.situation.chain_empty:
            return "The chain is not empty, so no Combat begins in this cleanup."
        running = self.situation.showdown
        if running is not None and running not in [site.name for site in staged]:
            return f"A Showdown is running at {running}, so no Combat begins elsewhere."
        return None

    def _picked(self, staged: list[Battlefield]) -> Battlefield | None:
        """The battlefield whose Combat is next; None where the Turn Player has yet to pick."""
        sites = {site.name: site for site in staged}
        running, pick = self.situation.showdown, self.situation.pick
        if pick is not None and pick not in sites:
            raise BadRequest(f"no Combat is staged at {pick}", "$.pick")
        if running is not None:
            if pick not in (None, running):
                raise BadRequest(
                    f"a Showdown is running at {running}, so its Combat is next", "$.pick"
                )
            return sites[running]
        if len(staged) == 1:
            return staged[0]
        player = self.situation.turn_order[0]
        self.known["picks"] = player
        choice = f"{player}, the Turn Player, picks which Combat is next: "
        if pick is None:
            self.say("combat_turn_player_picks", f"{choice}{enumerate_words(list(sites))}.")
            return None
        self.say("combat_turn_player_picks", f"{choice}{pick}.")
        return sites[pick]

    def _combat(self, site: Battlefield, others: list[Battlefield]) -> Flow:
        assert site.contested_by is not None
        attacker = site.contested_by
        defender = next(player for player in site.players() if player != attacker)
        self.known.update(battlefield=site.name, attacker=attacker, defender=defender)
        self._open(site)
        self._designate(site, attacker, defender)
        self._focus(site, attacker)
        self._chain(attacker, defender)
        fight = self._fighters(site, attacker, defender)
        self.known["combat"] = fight
        assignments = self._damage(fight)
        if assignments is None:
            return self.end("open")
        outcome = resolve(fight, assignments)
        self.known["outcome"] = outcome
        self._resolution(site, fight, outcome)
        for other in others:
            self.say("combat_staged", f"The Combat at {other.name} is still staged.")
        return self.end("restaged" if outcome.restaged else "over")

    def _open(self, site: Battlefield) -> None:
        if self.situation.showdown == site.name:
            self.say(
                "combat_from_showdown",
                f"The Showdown running at {site.name} becomes the Showdown of the Combat.",
            )
        else:
            self.say(
                "combat_occurs",
                f"The Combat at {site.name} begins in the cleanup: the chain is empty and no "
                "Showdown or Combat is running elsewhere.",
            )
            self.say("combat_staged_with_showdown", "Its Showdown opens with it.")
        self.say("combat_two_players", "Nobody but its two players takes part.")

    def _designate(self, site: Battlefield, attacker: str, defender: str) -> None:
        self.say("showdown_step", "Step 1, the Showdown.")
        for effect in self.situation.start_of_combat:
            self.say("start_of_combat_effects", f"At the start of the Combat: {effect}.")
        self.say(
            "designate_attacker", f"{attacker} is the Attacker, whose units applied Contested."
        )
        self.say("designate_defender", f"{defender}, the other player, is the Defender.")
        self.say(
            "designate_units",
            f"The units of {attacker} there are Attackers, those of {defender} Defenders.",
        )
        for player, units in site.arrives_showdown.items():
            if player in (attacker, defender) and units:
                role = "Attacker" if player == attacker else "Defender"
                self.say(
                    "designate_late_units",
                    f"{_counted(units)} of {player} coming during the Showdown will be {role} "
                    "from the next cleanup on.",
                )

    def _focus(self, site: Battlefield, attacker: str) -> None:
        holder = self.situation.focus
        running = self.situation.showdown == site.name
        if running and "focus_existing_showdown" in self.edition:
            self.known["focus"] = holder
            keeps = f"{holder} keeps Focus" if holder else "whoever has Focus keeps it"
            self.say("focus_existing_showdown", f"The Showdown was running already, so {keeps}.")
            return
        self.known["focus"] = attacker
        opened = "the Showdown opens with the Combat" if not running else "the Combat begins"
        self.say("focus_new_showdown", f"{attacker} gains Focus, since {opened}.")

    def _chain(self, attacker: str, defender: str) -> None:
        groups = trigger_groups(self.situation, attacker, defender)
        orders = prod(factorial(len(group)) for group in groups.values())
        first = tuple(islice(chain_orders(groups.values()), FIRST_ORDERS))
        self.known["chain"] = Chain(orders=orders, first=first)
        if not groups:
            return
        self.say("combat_chain", "The abilities that have triggered go on the chain.")
        if len(groups) == 1:
            (player,) = groups
            who = f"All are of {player}, who orders them"
        else:
            who = f"First those of {', then of '.join(groups)}, each player ordering their own"
        counted = "1 order" if orders == 1 else f"{orders} orders"
        self.say("combat_chain_order", f"{who}: {counted}.")

    def _fighters(self, site: Battlefield, attacker: str, defender: str) -> Combat:
        """The combat as it stands when the Showdown closes."""
        gone = (*site.leaves, *site.leaves_showdown)

        def there(player: str) -> tuple[Unit, ...]:
            units = (*site.units[player], *site.arrives_showdown.get(player, ()))
            return tuple(unit for unit in units if unit.name not in gone)

        side: dict[str | None, Side] = {attacker: "attacker", defender: "defender"}
        no_options = Assigner()
        return Combat(
            attackers=there(attacker),
            defenders=there(defender),
            attacker=self.situation.assigners.get(attacker, no_options),
            defender=self.situation.assigners.get(defender, no_options),
            control=side.get(site.controller),
            scored_this_turn=tuple(side[p] for p in site.scored_this_turn if p in side),
            arrivals=Arrivals(
                attackers=site.arrives_later.get(attacker, ()),
                defenders=site.arrives_later.get(defender, ()),
            ),
            edition=self.situation.edition,
            readings=self.situation.readings,
            attacker_assigns=self.situation.attacker_assigns,
            defender_assigns=self.situation.defender_assigns,
        )

    def _damage(self, fight: Combat) -> dict[Side, Assignment] | None:
        """The damage step; the assignments, or None where they are not known or not legal."""
        self.say("damage_step", "Step 2, the damage, once the Showdown has closed.")
        boards = {side: question(fight, side) for side in ROLES}
        lone = [side for side in ROLES if not units_of(fight, side)]
        if lone:
            who = enumerate_words([f"{side.capitalize()}s" for side in lone])
            self.say("damage_step_condition", f"No {who} are left there, so it is skipped.")
            return {side: (0,) * len(board.units) for side, board in boards.items()}
        self.say("damage_step_current_might", "The pools are summed from the Might of this moment.")
        for side in ROLES:
            self.say(f"sum_{ROLES[side]}", f"{self.known[side]} has {_sum(fight, side)}.")
        self._thresholds(fight)
        self._orders(fight)
        given = {"attacker": fight.attacker_assigns, "defender": fight.defender_assigns}
        chosen: dict[Side, Assignment] = {}
        broken: list[Violation] = []
        for side in ROLES:
            points = given[side]
            if not isinstance(points, tuple):
                self.say("assign_total", f"{self.known[side]} is to assign {_given(fight, side)}.")
                continue
            placed = Position(boards[side], points)
            wrong = violations(placed)
            broken += wrong
            self.say("assign_total", f"{self.known[side]} assigns {placed.tallies(placed.units)}.")
            for violation in wrong:
                self.say(violation.rule, f"That is illegal: {violation.because}.")
            if not wrong:
                chosen[side] = points
        self.known["violations"] = tuple(broken)
        if len(chosen) < len(ROLES):
            return None
        self.say("assign_not_deal", "Assigning has marked nothing yet.")
        self.say("deal_simultaneously", "Now all the damage is dealt at the same time.")
        return chosen

    def _thresholds(self, fight: Combat) -> None:
        """Where replacements do not count at assignment, lethal and dead are two things."""
        for side in ROLES:
            board = question(fight, side)
            for unit, least, death in zip(board.units, need(board), deaths(board), strict=True):
                if isinstance(least, int) and least != death:
                    fate = "never dies" if death == "never" else f"dies of {death}"
                    self.say(
                        "lethal_cleanup_meaning",
                        f"{unit.name} counts as lethal with {least} points but {fate}: in this "
                        "edition its replacements act only when damage is dealt.",
                    )

    def _orders(self, fight: Combat) -> None:
        """Who decides in which order a unit's replacements apply."""
        chooser = "controller" if "replacement_order_by_controller" in self.edition else "owner"
        for unit in (*fight.attackers, *fight.defenders):
            if len(set(unit.replacements)) > 1:
                self.say(
                    "replacement_order_chooser",
                    f"The {chooser} of {unit.name} orders its replacements; here: "
                    f"{', '.join(unit.replacements)}.",
                )

    def _resolution(self, site: Battlefield, fight: Combat, outcome: Outcome) -> None:
        if any(outcome.dealt.values()):
            dealt = [f"{name} {points}" for name, points in outcome.dealt.items() if points]
            self.say("deal_assigned", f"Dealt: {enumerate_words(dealt, most=12)}.")
            self.say("damage_step_end", "The Combat goes straight to its resolution.")
        self.say("resolution_step", "Step 3, the resolution.")
        self.say("combat_special_cleanup", "A special cleanup runs.")
        if outcome.dead:
            self.say(
                "cleanup_kill_3b", f"Dead, all together: {enumerate_words(list(outcome.dead))}."
            )
        self.say("cleanup_heal_3c", "All units are healed.")
        if outcome.recalled:
            self.say(
                "cleanup_recall_3d",
                f"{enumerate_words(list(outcome.recalled))} recalled, since Defenders are there.",
            )
        for role in ROLES.values():
            if late := getattr(fight.arrivals, role):
                names = enumerate_words([unit.name for unit in late])
                self.say("combat_result", f"{names} is there by now.")
        self._result(outcome)
        if outcome.restaged:
            again = "A Combat is"
            if "restage_showdown" in self.edition:
                again = "A Showdown and a Combat are"
            self.say("result_restage", f"{again} staged again at {site.name}.")
        else:
            self._control(site, outcome)
        self.say("combat_ends", "The Combat ends.")
        self.say("designations_removed", "Nobody is Attacker or Defender any more.")
        for effect in self.situation.end_of_combat:
            self.say("end_of_combat_effects", f"At the end of the Combat: {effect}.")
        self.say("this_combat_expires", 'What lasts for "this combat" is over.')

    def _result(self, outcome: Outcome) -> None:
        if outcome.result == "no_result":
            if outcome.recalled:
                why = "Attackers were recalled"
            else:
                why = "both have units there" if outcome.restaged else "neither has units there"
            self.say("result_none", f"There is no result: {why}.")
            return
        winner: Side = "attacker" if outcome.result == "attacker_won" else "defender"
        self.say("result_win", f"{self.known[winner]} wins, the only one with units left there.")
        self.say("result_lose", f"{self.known[OTHER[winner]]} loses.")

    def _control(self, site: Battlefield, outcome: Outcome) -> None:
        if outcome.control == "uncontrolled":
            self.say("uncontrolled_if_empty", f"Nobody controls {site.name}.")
        else:
            player = self.known[outcome.control]
            self.say("establish_control", f"{player} controls {site.name}.")
            if outcome.conquer:
                self.say("conquer_on_control", f"That is a Conquer for {player}.")
            elif player != site.controller:
                self.say(
                    "score_once_per_turn",
                    f"{player} has scored {site.name} this turn, so it is no Conquer.",
                )
        self.say("clear_contested", f"{site.name} is not Contested any more.")


def _counted(units: tuple[Unit, ...]) -> str:
    return "1 unit" if len(units) == 1 else f"{len(units)} units"


def _sum(fight: Combat, side: Side) -> str:
    """`A1 3 + A2 2 = 5 points`."""
    units = units_of(fight, side)
    parts = [f"{unit.name} {contribution(unit, ROLES[side])}" for unit in units]
    return f"{' + '.join(parts)} = {question(fight, side).pool} points"


def _given(fight: Combat, side: Side) -> str:
    names = [unit.name for unit in units_of(fight, OTHER[side])]
    return f"{question(fight, side).pool} points among {enumerate_words(names)}"
