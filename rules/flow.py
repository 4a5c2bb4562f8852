"""A combat from staged to over: staging, the Showdown, the damage step, the resolution.

459 to 466 and what they rest on, as an ordered list of steps, each with the number of its rule.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, compress, islice, pairwise, permutations
from math import factorial, prod
from operator import not_
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec

from rules.board import Arrivals, Assigner, Assignment, Board, Combat, Side, Unit
from rules.editions import edition
from rules.errors import BadRequest
from rules.lethal import contribution, deaths, need, oddities
from rules.position import Position, enumerate_words, standing
from rules.resolution import OTHER, ROLES, Outcome, question, resolve, units_of
from rules.rule import Violation
from rules.rulebook import violations
from rules.situation import Battlefield, Situation

if TYPE_CHECKING:
    import networkx as nx

Status = Literal["none", "waiting", "pick", "open", "unknown", "illegal", "over", "restaged"]
"""How far a situation comes: no Combat is staged; one is, but cannot begin yet; the Turn Player has
to pick; the damage step waits for assignments; a limit came before it was known whether it waits;
an assignment given is illegal; the Combat is over; or it is staged again."""

FIRST_ORDERS: Final = 6
"""How many orders of the triggers a flow shows."""

_TOLD: Final = 12
"""How many units a sentence names before it counts the rest."""


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that happens, in a sentence, by the rule that makes it happen."""

    rule: str
    number: str | None
    text: str


class Chain(msgspec.Struct, frozen=True, kw_only=True):
    """In how many orders the triggers of the first step can go on the chain, and the first few."""

    orders: int
    first: tuple[tuple[str, ...], ...]


class Breach(Violation, frozen=True, kw_only=True):
    """A rule that an assignment breaks, and the side whose assignment it is."""

    by: Side


class Flow(msgspec.Struct, frozen=True, kw_only=True):
    """The course of a combat: its steps, how far it comes, and who has which part in it.

    `staged` are the battlefields with a staged Combat, `invalid` by battlefield with a Combat the
    players for whom it is no valid destination, `picks` the player whose pick it is. `combat` is
    the question of the damage step, `outcome` the ending where both assignments are known, after
    which `controller` controls the battlefield (None: nobody). `violations` are what is against
    the rules in the assignments given, `readings` those not at their default, `warnings` sentences
    about what is odd but accepted.
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
    controller: str | None = None
    violations: tuple[Breach, ...] = ()
    readings: dict[str, str] = {}
    warnings: tuple[str, ...] = ()


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
        self.warnings: list[str] = []
        self.known: dict[str, Any] = {}

    def say(self, rule: str, text: str) -> None:
        """Add a step, if the edition has the rule."""
        if rule in self.edition:
            self.steps.append(Step(rule=rule, number=self.edition.number(rule), text=text))

    def end(self, status: Status) -> Flow:
        given = (self.situation.attacker_assigns, self.situation.defender_assigns)
        if "combat" not in self.known and given != (None, None):
            self.warnings.append("the assignments given are not used, as no Combat opens")
        return Flow(
            edition=self.edition.key,
            status=status,
            steps=tuple(self.steps),
            readings=self.situation.readings.changed(),
            warnings=tuple(self.warnings),
            **self.known,
        )

    def run(self) -> Flow:
        staged = self._staged()
        pick = self.situation.pick
        if pick not in (None, *(site.name for site in staged)):
            raise BadRequest(f"no Combat is staged at {pick}", "$.pick")
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
            under_way = site.name == self.situation.under_way
            two = self._sides(site) if under_way else site.players()
            if len(two) < 2:
                continue
            state = "under way, and staged no longer," if under_way else "staged"
            self.say(
                "combat_staged", f"A Combat of {two[0]} and {two[1]} is {state} at {site.name}."
            )
            outside = tuple(player for player in self.situation.players if player not in two)
            self._exclude(outside, site)
            if not under_way and not self._stays(site):
                continue
            if outside:
                invalid[site.name] = outside
            if not under_way:
                staged.append(site)
        self.known["invalid"] = invalid
        self.known["staged"] = tuple(site.name for site in staged)
        return staged

    def _sides(self, site: Battlefield) -> tuple[str, ...]:
        """The two players of the Combat under way there, also of a side with no units left.

        Fewer where the situation does not tell who they are; then a warning says so.
        """
        named = [*site.players(), site.contested_by, *site.units]
        if len(self.situation.players) == 2:
            named += self.situation.players
        two = tuple(dict.fromkeys(player for player in named if player is not None))[:2]
        if len(two) < 2:
            self.warnings.append(
                f"whose Combat is under way at {site.name} is not said, so neither is who cannot "
                "go there; contested_by and units name its players"
            )
        return two

    def _exclude(self, outside: tuple[str, ...], site: Battlefield) -> None:
        """Say for whom a battlefield with a Combat is no valid destination."""
        if not outside:
            return
        who = _told(outside)
        self.say(
            "combat_invalid_destination",
            f"For {who}, {site.name} is no valid destination to move units to.",
        )
        self.say("combat_invalid_play", f"{who} cannot play units to {site.name}.")

    def _stays(self, site: Battlefield) -> bool:
        """Is the Combat still staged once the units that leave first are gone? [461.2]"""
        stays = len(site.players(site.leaves)) == 2
        if not site.leaves:
            return stays
        gone = f"{_told(site.leaves)} {_verb(site.leaves, 'leaves', 'leave')} first"
        if stays:
            self.say(
                "combat_staged", f"{gone}, but the Combat at {site.name} stays staged without."
            )
            return True
        self.say("combat_unstaged", f"{gone}, so the Combat at {site.name} never happens.")
        late = [
            unit.name for field, _, units in site.groups() if field != "units" for unit in units
        ]
        if late:
            self.warnings.append(
                f"what is said of the arrival of {_told(late)} is not used, as the Combat at "
                f"{site.name} never happens"
            )
        return False

    def _waits(self, staged: list[Battlefield]) -> str | None:
        """Why no Combat can begin in this cleanup, None if one can."""
        if not self.situation.chain_empty:
            return "The chain is not empty, so no Combat begins in this cleanup."
        under_way, running = self.situation.under_way, self.situation.showdown
        if under_way is not None:
            return f"A Combat is under way at {under_way}, so no other begins."
        if running is not None and running not in [site.name for site in staged]:
            return f"A Showdown is running at {running}, so no Combat begins elsewhere."
        return None

    def _picked(self, staged: list[Battlefield]) -> Battlefield | None:
        """The battlefield whose Combat is next; None where the Turn Player has yet to pick."""
        sites = {site.name: site for site in staged}
        running, pick = self.situation.showdown, self.situation.pick
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
            self.say("combat_turn_player_picks", f"{choice}{_told(list(sites))}.")
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
        self._late(site, attacker, defender)
        fight = self._fighters(site, attacker, defender)
        boards = self._boards(site, fight)
        self.known["combat"] = fight
        self.warnings += [sentence for board in boards.values() for sentence in oddities(board)]
        assignments = self._damage(site, fight, boards)
        if assignments is None:
            return self.end("illegal" if self.known["violations"] else "open")
        outcome = resolve(fight, assignments)
        if fight.attackers and fight.defenders:
            self._deal(outcome)
        self._resolution(site, fight, outcome)
        for other in others:
            self.say("combat_staged", f"The Combat at {other.name} is still staged.")
        return self.end("restaged" if self.known["outcome"].restaged else "over")

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
        there = {
            p: [u.name for u in site.units[p] if u.name not in site.leaves] for p in site.units
        }
        attack = f"{_told(there[attacker])} {_verb(there[attacker], *_ATTACK)}"
        defend = f"{_told(there[defender])} {_verb(there[defender], *_DEFEND)}"
        self.say("designate_units", f"{attack}; {defend}.")

    def _focus(self, site: Battlefield, attacker: str) -> None:
        holder = self.situation.focus
        running = self.situation.showdown == site.name
        if running and "focus_existing_showdown" in self.edition:
            self.known["focus"] = holder
            keeps = f"{holder} keeps Focus" if holder else "whoever has Focus keeps it"
            self.say("focus_existing_showdown", f"The Showdown was running already, so {keeps}.")
            return
        self.known["focus"] = attacker
        if running:
            self.say("focus_task", f"{attacker} gains Focus, though the Showdown was running.")
        else:
            self.say(
                "focus_new_showdown",
                f"{attacker} gains Focus, since the Showdown opens with the Combat.",
            )

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

    def _late(self, site: Battlefield, attacker: str, defender: str) -> None:
        for player, designation in ((attacker, _ATTACK), (defender, _DEFEND)):
            if late := [unit.name for unit in site.arrives_showdown.get(player, ())]:
                self.say(
                    "designate_late_units",
                    f"{_told(late)}, coming during the Showdown, {_verb(late, *designation)} from "
                    "the next cleanup on.",
                )

    def _fighters(self, site: Battlefield, attacker: str, defender: str) -> Combat:
        """The combat as it stands when the Showdown closes."""
        gone = {*site.leaves, *site.leaves_showdown}

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

    def _boards(self, site: Battlefield, fight: Combat) -> dict[Side, Board]:
        """What each side has to decide. Raises `BadRequest` (`limit`) for a pool too large."""
        boards = {}
        for side in ROLES:
            try:
                boards[side] = question(fight, side)
            except BadRequest as fault:
                number = self.situation.battlefields.index(site)
                where = f"$.battlefields[{number}].units.{self.known[side]}"
                raise BadRequest(fault.message, where, fault.code) from None
        return boards

    def _damage(
        self, site: Battlefield, fight: Combat, boards: dict[Side, Board]
    ) -> dict[Side, Assignment] | None:
        """The damage step; the assignments, or None where they are not known or not legal."""
        left = site.leaves_showdown
        gone = f"; {_told(left)} {_verb(left, 'is', 'are')} gone by then" if left else ""
        self.say("damage_step", f"Step 2, the damage, once the Showdown has closed{gone}.")
        given = {"attacker": fight.attacker_assigns, "defender": fight.defender_assigns}
        lone = [f"{side.capitalize()}s" for side in ROLES if not units_of(fight, side)]
        if lone:
            none = f"no {lone[0]} are" if len(lone) == 1 else f"neither {' nor '.join(lone)} are"
            self.say("damage_step_condition", f"It is skipped, as {none} left there.")
            if any(points is not None for points in given.values()):
                self.warnings.append("the assignments given are not used, as nobody assigns")
            return {side: (0,) * len(board.units) for side, board in boards.items()}
        self.say("damage_step_current_might", "The pools are summed from the Might of this moment.")
        for side in ROLES:
            self.say(f"sum_{ROLES[side]}", f"{self.known[side]} has {_sum(fight, side)}.")
        self._thresholds(boards)
        self._orders(fight)
        chosen: dict[Side, Assignment] = {}
        broken: list[Breach] = []
        for side in ROLES:
            self._requirements(boards[side])
            points = given[side]
            if not isinstance(points, tuple):
                self.say("assign_total", f"{self.known[side]} is to assign {_given(boards[side])}.")
                continue
            chosen[side] = points
            placed = Position(boards[side], points)
            tallies = _told([placed.tally(u) for u in placed.units])
            self.say("assign_total", f"{self.known[side]} assigns {tallies}.")
            for violation in violations(placed):
                self.say(violation.rule, f"That is illegal: {violation.because}.")
                broken.append(Breach(by=side, **msgspec.structs.asdict(violation)))
        self.known["violations"] = tuple(broken)
        if broken or len(chosen) < len(ROLES):
            return None
        return chosen

    def _deal(self, outcome: Outcome) -> None:
        self.say("assign_not_deal", "Assigning has marked nothing yet.")
        self.say("deal_simultaneously", "Now all the damage is dealt at the same time.")
        dealt = [f"{name} {points}" for name, points in outcome.dealt.items() if points]
        self.say("deal_assigned", f"Dealt: {_told(dealt) if dealt else 'nothing'}.")
        self.say("damage_step_end", "The Combat goes straight to its resolution.")

    def _thresholds(self, boards: dict[Side, Board]) -> None:
        """Where lethal at assignment and death at the end are two things, and why."""
        waiting = "its replacements count"
        if "prevent_lethal_includes_value" in self.edition:
            waiting = "Double counts"
        for board in boards.values():
            for unit, least, death in zip(board.units, need(board), deaths(board), strict=True):
                if not isinstance(least, int) or least == death:
                    continue
                counts = f"{unit.name} counts as lethal with {_points(least)}"
                if death == 0:
                    self.say(
                        "might_kill_check",
                        f"{counts} but dies in any case, as the damage marked on it is lethal "
                        "(reading already_lethal=one).",
                    )
                    continue
                fate = "never dies" if death == "never" else f"dies of {death}"
                self.say(
                    "lethal_cleanup_meaning",
                    f"{counts} but {fate}: in this edition {waiting} only when damage is dealt.",
                )

    def _requirements(self, board: Board) -> None:
        """What has to be heeded in assigning, as far as the units there call for it."""
        known = standing(board)
        skipped = list(compress(board.names, known.exempt))
        takers = _takers(board)
        if skipped and takers:
            comes = "is skipped" if len(skipped) == 1 else "are skipped"
            if board.readings.undamageable == "optional":
                comes = "need not be given any"
            self.say("undamageable_exempt", f"{_told(skipped)} cannot be dealt damage and {comes}.")
        if len(takers) < 2 or not board.pool:
            return
        self.say(
            "lethal_in_full_before_next",
            f"Each of {_told(takers)} is given lethal damage in full before the next is given any.",
        )
        dual = list(compress(board.names, known.dual))
        if first := [name for name in compress(board.names, known.tank) if name not in dual]:
            self.say("tank_first", f"{_told(first)} {_verb(first, 'comes', 'come')} first (Tank).")
        if last := [name for name in compress(board.names, known.backline) if name not in dual]:
            rule = "backline_last" if "backline_last" in self.edition else "obey_requirements"
            self.say(rule, f"{_told(last)} {_verb(last, 'comes', 'come')} last (Backline).")
        if dual:
            self.say(
                "exclusionary_choose_one",
                f"{_told(dual)} {_verb(dual, 'comes', 'come')} first or last, as the assigner "
                "chooses (Tank and Backline).",
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
        self.say("resolution_step", "Step 3, the resolution.")
        self.say("combat_special_cleanup", "A special cleanup runs.")
        if outcome.dead:
            die = _verb(outcome.dead, "dies", "die together")
            self.say("cleanup_kill_3b", f"{_told(outcome.dead)} {die}.")
        self.say("cleanup_heal_3c", "All units are healed.")
        if back := outcome.recalled:
            self.say(
                "cleanup_recall_3d",
                f"{_told(back)} {_verb(back, 'is', 'are')} recalled, since Defenders are there.",
            )
        for role in ROLES.values():
            if late := [unit.name for unit in getattr(fight.arrivals, role)]:
                self.say("combat_result", f"{_told(late)} {_verb(late, 'is', 'are')} there by now.")
        self._result(outcome)
        if outcome.restaged:
            outcome = self._restage(site, outcome)
        else:
            self._control(site, outcome)
        self.known["outcome"] = outcome
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

    def _restage(self, site: Battlefield, outcome: Outcome) -> Outcome:
        """Units of both are there: control stays, also with a player who is no side."""
        again = "A Combat is"
        if "restage_showdown" in self.edition:
            again = "A Showdown and a Combat are"
        self.say("result_restage", f"{again} staged again at {site.name}.")
        keeps = "stays uncontrolled"
        if site.controller is not None:
            keeps = f"stays under the control of {site.controller}"
        self.say("contested_control_frozen", f"{site.name} {keeps}.")
        self.known["controller"] = site.controller
        two = (self.known["attacker"], self.known["defender"])
        if site.controller is None or site.controller in two:
            return outcome
        return msgspec.structs.replace(outcome, control="other")

    def _control(self, site: Battlefield, outcome: Outcome) -> None:
        if outcome.control == "uncontrolled":
            self.say("uncontrolled_if_empty", f"Nobody controls {site.name}.")
        else:
            player = self.known[outcome.control]
            self.known["controller"] = player
            self.say("establish_control", f"{player} controls {site.name}.")
            if outcome.conquer:
                self.say("conquer_on_control", f"That is a Conquer for {player}.")
            elif player != site.controller:
                self.say(
                    "score_once_per_turn",
                    f"{player} has scored {site.name} this turn, so it is no Conquer.",
                )
        self.say("clear_contested", f"{site.name} is not Contested any more.")


_ATTACK: Final = ("is an Attacker", "are Attackers")
_DEFEND: Final = ("is a Defender", "are Defenders")


def _told(names: Sequence[str]) -> str:
    return enumerate_words(list(names), most=_TOLD)


def _verb(names: Sequence[str], one: str, many: str) -> str:
    """What suits the number of those named."""
    return one if len(names) == 1 else many


def _points(number: int) -> str:
    return "1 point" if number == 1 else f"{number} points"


def _sum(fight: Combat, side: Side) -> str:
    """`A1 3 + A2 2 = 5 points`; of many units the tail is one term."""
    amounts = [(u.name, contribution(u, ROLES[side])) for u in units_of(fight, side)]
    parts = [f"{name} {amount}" for name, amount in amounts]
    if len(parts) > _TOLD:
        rest = sum(amount for _, amount in amounts[_TOLD - 1 :])
        parts[_TOLD - 1 :] = [f"{len(parts) - _TOLD + 1} more {rest}"]
    return f"{' + '.join(parts)} = {_points(sum(amount for _, amount in amounts))}"


def _given(board: Board) -> str:
    """`5 points among A and B`, those left out who are skipped."""
    names: Sequence[str] = board.names
    if board.readings.undamageable == "skip":
        names = _takers(board) or names
    return f"{_points(board.pool)} among {_told(names)}"


def _takers(board: Board) -> list[str]:
    """The names of the units that can be dealt damage."""
    return list(compress(board.names, map(not_, standing(board).exempt)))
