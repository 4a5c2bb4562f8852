"""Plausible mistakes of an engine, each beside the rule that it gets wrong.

A mistake is told as a wrong engine made of the right one: it answers another board, edition or
reading than it was asked, leaves a rule out, or adds a duty that no rule has. What a question tests
are the rules whose mistakes change its answer, and questions are chosen so that they tell many
mistakes apart (`solver.kit.vectors`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import product
from math import comb
from typing import Any, Final, NamedTuple

from msgspec.structs import asdict, replace

from rules.board import Arrivals, Assigner, Assignment, Board, Combat, Keyword, Unit
from rules.editions import EDITIONS
from rules.lethal import (
    EXEMPT,
    NEVER,
    Need,
    contribution,
    current_might,
    dead,
    need,
    needs_of,
    pool,
)
from rules.position import Position
from rules.readings import SWITCHES
from rules.replacements import pipeline
from rules.resolution import OTHER, ending
from rules.rulebook import DECIDING
from solver import exact
from solver.cells import total_of
from solver.outcomes import CombatAnswer

Json = dict[str, Any]


class Answer(NamedTuple):
    """What an engine says of a board: the needs in unit order, and the legal assignments."""

    need: tuple[Need, ...]
    legal: frozenset[Assignment]


class Mistake(NamedTuple):
    """A wrong engine: what it does, the id of the rule it gets wrong, what it answers."""

    name: str
    rule: str
    answer: Callable[[Board], Answer]


class CombatMistake(NamedTuple):
    """A wrong engine of combats; it answers as `combat_facts` does."""

    name: str
    rule: str
    answer: Callable[[Combat], Json]


def ways_to_split(board: Board) -> int:
    """The number of vectors that spend the pool among the units, legal or not."""
    units = len(board.units)
    return comb(board.pool + units - 1, units - 1) if units else 1


@lru_cache(maxsize=256)
def right(board: Board) -> Answer:
    """The right answer, every legal assignment listed."""
    return Answer(needs_of(board), frozenset(exact.Legal(board)))


def splits(pool: int, units: int) -> Iterator[Assignment]:
    """Every vector that spends the pool among so many units, ascending."""
    if units == 0:
        if pool == 0:
            yield ()
        return
    for first in range(pool + 1):
        for rest in splits(pool - first, units - 1):
            yield (first, *rest)


@lru_cache(maxsize=4)
def broken_rules(board: Board) -> dict[Assignment, frozenset[str]]:
    """For every vector of the sum that is due the ids of the deciding rules that it breaks."""
    deciding = DECIDING[board.edition]
    return {
        vector: frozenset(rule.slug for rule in deciding if any(rule.violations(position)))
        for vector in splits(total_of(board), len(board.units))
        for position in [Position(board, vector)]
    }


# --- mistakes about boards ------------------------------------------------------------------------


def _asked(change: Callable[[Board], Board]) -> Callable[[Board], Answer]:
    """The engine that answers the changed board."""
    return lambda board: right(change(board))


def _unit(change: Callable[[Unit, Board], Unit]) -> Callable[[Board], Answer]:
    """The engine that takes each unit for the changed one."""
    return _asked(lambda b: replace(b, units=tuple(change(unit, b) for unit in b.units)))


def _without(prefix: str) -> Callable[[Board], Answer]:
    """The engine that knows no replacements beginning so."""
    return _unit(
        lambda u, _: replace(
            u, replacements=tuple(step for step in u.replacements if not step.startswith(prefix))
        )
    )


def _reading(**value: str) -> Callable[[Board], Answer]:
    return _asked(lambda b: replace(b, readings=replace(b.readings, **value)))


def _leaving_out(rule: str) -> Callable[[Board], Answer]:
    """The engine that never heard of a rule, but heeds what a reading adds to it."""

    def answer(board: Board) -> Answer:
        plain = replace(board, readings=replace(board.readings, must_kill="no", leftover="any"))
        without = dict(broken_rules(plain))
        return Answer(
            needs_of(board),
            frozenset(
                vector
                for vector, broken in broken_rules(board).items()
                if not broken or (broken == {rule} and rule in without[vector])
            ),
        )

    return answer


def _among_legal(keep: Callable[[Position], bool]) -> Callable[[Board], Answer]:
    """The engine that asks for more: it refuses legal assignments that it does not like."""

    def answer(board: Board) -> Answer:
        needs, legal = right(board)
        return Answer(needs, frozenset(v for v in legal if keep(Position(board, v))))

    return answer


def _united(*changes: Callable[[Board], Board]) -> Callable[[Board], Answer]:
    """The engine that allows what is legal on any of the changed boards."""

    def answer(board: Board) -> Answer:
        legal = frozenset[Assignment]().union(*(right(change(board)).legal for change in changes))
        return Answer(needs_of(board), legal)

    return answer


def _unspent(board: Board) -> Answer:
    pools = range(board.pool + 1)
    legal = (right(replace(board, pool=points)).legal for points in pools)
    return Answer(needs_of(board), frozenset[Assignment]().union(*legal))


def _overspent(board: Board) -> Answer:
    """One point more than the pool is as good as the pool."""
    more = right(replace(board, pool=board.pool + 1)).legal
    return Answer(needs_of(board), right(board).legal | more)


def _dropping_excess(board: Board) -> Board:
    """The board without the points that would exceed all needs."""
    needs = need(board)
    amounts = [least for least in needs if isinstance(least, int)]
    if not amounts or len(amounts) < sum(least != EXEMPT for least in needs):
        return board
    return replace(board, pool=min(board.pool, sum(amounts)))


def _nothing_for_zero(unit: Unit, board: Board) -> Unit:
    """A unit of Might 0 or less as one that has lethal damage marked already."""
    if unit.undamageable or current_might(unit, board.units_are) > 0:
        return unit
    return replace(unit, might=1, assault=0, shield=0, marked=1)


def _other_bonus(board: Board) -> Board:
    return replace(board, units_are="defenders" if board.units_are == "attackers" else "attackers")


def _only_first(kind: str) -> Callable[[Unit, Board], Unit]:
    """The change that leaves a unit one replacement of a kind, its first."""

    def change(unit: Unit, board: Board) -> Unit:
        seen, kept = False, []
        for step in unit.replacements:
            if step.startswith(kind) and step != "prevent all":
                if seen:
                    continue
                seen = True
            kept.append(step)
        return replace(unit, replacements=tuple(kept))

    return change


def _no_double_beside_prevent(unit: Unit, board: Board) -> Unit:
    if any(step.startswith("prevent") for step in unit.replacements):
        kept = tuple(step for step in unit.replacements if step != "double")
        return replace(unit, replacements=kept)
    return unit


def _with_duals(board: Board, **keywords: bool) -> Board:
    """The board with only these keywords on units that have both Tank and Backline."""
    units = (replace(u, **keywords) if u.tank and u.backline else u for u in board.units)
    return replace(board, units=tuple(units))


def _dual(**keywords: bool) -> Callable[[Board], Board]:
    """The change that leaves the dual units of a board only these keywords."""
    return lambda b: b if b.assigner.ignores else _with_duals(b, **keywords)


def _only_never_lethal(board: Board) -> Answer:
    """The answer where a unit that cannot be dealt damage is only never lethal."""
    sink = (
        Unit(might=0, replacements=("prevent all",))
        if board.assigner.any_damage_is_lethal
        else Unit(might=board.pool + 1)
    )
    needs, legal = right(
        replace(
            board,
            units=tuple(
                replace(sink, name=u.name, tank=u.tank, backline=u.backline)
                if u.undamageable
                else u
                for u in board.units
            ),
        )
    )
    pairs = zip(board.units, needs, strict=True)
    return Answer(tuple(NEVER if u.undamageable else least for u, least in pairs), legal)


def _as_any(unit: Unit, board: Board) -> Unit:
    return replace(unit, undamageable=False)


def _as_exempt(unit: Unit, board: Board) -> Unit:
    return replace(unit, undamageable=unit.undamageable or "prevent all" in unit.replacements)


def _exempt_anywhere(unit: Unit, board: Board) -> Unit:
    """A prevented unit as exempt in editions, too, in which Prevent does not count."""
    return _as_exempt(unit, board) if board.readings.prevent_all == "exempt" else unit


def _one_point_without_replacements(board: Board) -> Board:
    """The board on which a lethal unit needs a point only if it has no replacements."""
    if board.readings.already_lethal != "one":
        return board
    lethal = needs_of(replace(board, readings=replace(board.readings, already_lethal="zero")))
    fresh = {"might": 1, "marked": 0, "assault": 0, "shield": 0}
    units = (
        replace(unit, **fresh) if least == 0 and not unit.replacements else unit
        for unit, least in zip(board.units, lethal, strict=True)
    )
    return replace(
        board,
        units=tuple(units),
        readings=replace(board.readings, already_lethal="zero"),
    )


def _any_time(which: Callable[[Unit, Board], bool]) -> Callable[[Board], Answer]:
    """The engine that gives some exempt units points before the Tanks have theirs."""

    def answer(board: Board) -> Answer:
        needs, legal = right(board)
        free = [
            i for i, unit in enumerate(board.units) if needs[i] == EXEMPT and which(unit, board)
        ]
        if board.readings.undamageable != "optional" or all(n == EXEMPT for n in needs) or not free:
            return Answer(needs, legal)
        found = set(legal)
        for points in range(board.pool + 1):
            for vector in right(replace(board, pool=board.pool - points)).legal:
                for extra in splits(points, len(free)):
                    given = list(vector)
                    for i, more in zip(free, extra, strict=True):
                        given[i] += more
                    found.add(tuple(given))
        return Answer(needs, frozenset(found))

    return answer


def _is_tank(unit: Unit, board: Board) -> bool:
    return unit.tank and "tank" not in board.assigner.ignores


def _forgiving_sinks(board: Board) -> Answer:
    """The answer where a unit that is never lethal may have points while others could be killed."""
    needs, legal = right(board)
    if board.readings.must_kill == "no":
        return Answer(needs, legal)
    more = right(replace(board, readings=replace(board.readings, must_kill="no"))).legal
    forgiven = (
        v for v in more if any(x and least == NEVER for x, least in zip(v, needs, strict=True))
    )
    return Answer(needs, legal.union(forgiven))


def _pile_on_last(board: Board) -> Board:
    if board.readings.leftover != "one_unit":
        return board
    return replace(board, readings=replace(board.readings, leftover="last_unit"))


def _only_takers(keyword: Keyword, wanted: bool) -> Callable[[Board], Answer]:
    """The engine to which only units with, or without, a keyword take any points."""

    def change(board: Board) -> Board:
        ignored = keyword in board.assigner.ignores
        having = [getattr(unit, keyword) and not ignored for unit in board.units]
        if not any(
            h == wanted and not u.undamageable for h, u in zip(having, board.units, strict=True)
        ):
            return board
        return replace(
            board,
            units=tuple(
                unit if has == wanted else replace(unit, undamageable=True)
                for unit, has in zip(board.units, having, strict=True)
            ),
        )

    return lambda board: Answer(needs_of(board), right(change(board)).legal)


def _ignoring_makes_plain(board: Board) -> Board:
    """A dual unit loses both keywords where one of them is ignored."""
    return _with_duals(board, tank=False, backline=False) if board.assigner.ignores else board


def _ready_after_one(p: Position, leading: list[bool]) -> bool:
    """Is one lethal unit of those that lead enough, where others follow that have points?"""
    lead = [u for u in p.units if leading[u] and not p.exempt[u]]
    follow = [u for u in p.units if p.hit[u] and not leading[u] and p.bound[u]]
    return not lead or not follow or any(p.lethal[u] for u in lead)


def _after_one_of(rule: str) -> Callable[[Board], Answer]:
    """The engine to which one lethal unit of those that come first is enough."""

    def answer(board: Board) -> Answer:
        legal = set()
        for vector, broken in broken_rules(board).items():
            p = Position(board, vector)
            leading = list(p.first) if rule == "tank_first" else [not last for last in p.last]
            if not broken or (broken <= {rule} and _ready_after_one(p, leading)):
                legal.add(vector)
        return Answer(needs_of(board), frozenset(legal))

    return answer


def _in_board_order(p: Position) -> bool:
    """Do units of one tier get their points in the order of the board?"""
    return not any(_overtaking(p))


def _backline_in_board_order(p: Position) -> bool:
    return not any(p.last[u] for u in _overtaking(p))


def _overtaking(p: Position) -> Iterator[int]:
    """The units with points although one of their tier before them on the board is not lethal."""
    tiers = [(p.first[u], p.last[u]) for u in p.units]
    return (
        v
        for v in p.units
        for u in range(v)
        if p.hit[v] and not (p.lethal[u] or p.exempt[u])
        if tiers[u] == tiers[v] and not p.exempt[v]
    )


def _kills_if_able(p: Position) -> bool:
    """Does somebody reach its need wherever the pool could do that?"""
    reachable = any(type(least) is int and 0 < least <= p.board.pool for least in p.needs)
    return not reachable or any(lethal and hit for lethal, hit in zip(p.lethal, p.hit, strict=True))


def _by_edition(key: str) -> Callable[[Board], Board]:
    return lambda board: replace(board, edition=key)


MISTAKES: Final[tuple[Mistake, ...]] = (
    Mistake("any damage is never lethal by itself", "lethal_value_alterable",
            _asked(lambda b: replace(b, assigner=Assigner(ignores=b.assigner.ignores)))),
    Mistake("zero Might needs nothing", "lethal_nonzero_ge_might", _unit(_nothing_for_zero)),
    Mistake("negative Might counts as 0 before Assault and Shield", "might_negative_real_value",
            _unit(lambda u, _: replace(u, might=max(0, u.might)))),
    Mistake("marked damage is ignored", "might_kill_check",
            _unit(lambda u, _: replace(u, marked=0))),
    Mistake("a unit that is lethal already needs one more point", "might_kill_check",
            _reading(already_lethal="one")),
    Mistake("a unit that is lethal already needs no more point if it has replacements",
            "might_kill_check", _asked(_one_point_without_replacements)),
    Mistake("a stunned unit has no Might", "stun_full_might_to_kill",
            _unit(lambda u, _: replace(u, might=0, assault=0, shield=0) if u.stunned else u)),
    Mistake("Prevent is ignored", "prevent_lethal_includes_value", _without("prevent ")),
    Mistake("only the first Prevent counts", "prevent_value", _unit(_only_first("prevent"))),
    Mistake("prevented units are exempt", "prevent_all_never_lethal",
            _reading(prevent_all="exempt")),
    Mistake("prevented units are exempt where Prevent does not count, too",
            "prevent_all_never_lethal", _unit(_exempt_anywhere)),
    Mistake("Prevent all is ignored", "prevent_all_never_lethal", _without("prevent all")),
    Mistake("Double is ignored", "min_applied_when_increased", _without("double")),
    Mistake("only the first Double counts", "double_attribute", _unit(_only_first("double"))),
    Mistake("Double is ignored beside Prevent", "replacements_apply_to_assignment",
            _unit(_no_double_beside_prevent)),
    Mistake("replacements act in reverse", "replacements_apply_to_assignment",
            _unit(lambda u, _: replace(u, replacements=u.replacements[::-1]))),
    Mistake("the pool may stay unspent", "assign_total", _unspent),
    Mistake("one point more than the pool may be spent", "assign_total", _overspent),
    Mistake("excess is dropped", "assign_total", _asked(_dropping_excess)),
    Mistake("nothing goes on units that cannot be dealt damage", "assign_total",
            _reading(only_undamageable="nothing")),
    Mistake("several units may be left short", "lethal_in_full_before_next",
            _leaving_out("lethal_in_full_before_next")),
    Mistake("points that can finish a unit must", "lethal_in_full_before_next",
            _reading(must_kill="yes")),
    Mistake("points that can finish a unit may go on one that is never lethal",
            "lethal_in_full_before_next", _forgiving_sinks),
    Mistake("somebody must die if able", "lethal_in_full_before_next",
            _among_legal(_kills_if_able)),
    Mistake("a unit may get more than its need", "no_over_assignment",
            _leaving_out("no_over_assignment")),
    Mistake("excess goes in one pile", "no_over_assignment", _reading(leftover="one_unit")),
    Mistake("one pile of excess goes on the last unit", "no_over_assignment",
            _asked(_pile_on_last)),
    Mistake("excess goes on the last unit", "no_over_assignment", _reading(leftover="last_unit")),
    Mistake("Backline binds only where its rule is printed", "obey_requirements",
            _leaving_out("obey_requirements")),
    Mistake("units of a tier are taken in board order", "same_priority_any_order",
            _among_legal(_in_board_order)),
    Mistake("a dual unit is always Tank", "exclusionary_choose_one",
            _asked(_dual(tank=True, backline=False))),
    Mistake("a dual unit is always Backline", "exclusionary_choose_one",
            _asked(_dual(tank=False, backline=True))),
    Mistake("a dual unit is plain", "exclusionary_choose_one",
            _asked(_dual(tank=False, backline=False))),
    Mistake("all dual units are taken alike", "exclusionary_each_unit",
            _united(_dual(tank=True, backline=False), _dual(tank=False, backline=True))),
    Mistake("units that cannot be dealt damage may get points", "undamageable_exempt",
            _leaving_out("undamageable_exempt")),
    Mistake("units that cannot be dealt damage come after the Tanks", "undamageable_exempt",
            _reading(undamageable="optional")),
    Mistake("units that cannot be dealt damage may come before the Tanks", "undamageable_exempt",
            _any_time(lambda unit, board: True)),
    Mistake("a Tank that cannot be dealt damage may come before the others", "undamageable_exempt",
            _any_time(_is_tank)),
    Mistake("a unit that cannot be dealt damage is only never lethal", "undamageable_exempt",
            _only_never_lethal),
    Mistake("a unit that cannot be dealt damage is like any other", "undamageable_exempt",
            _unit(_as_any)),
    Mistake("no keyword is ever ignored", "ignore_effects",
            _asked(lambda b: replace(b, assigner=replace(b.assigner, ignores=())))),
    Mistake("a dual unit with a keyword ignored is plain", "ignore_effects",
            _asked(_ignoring_makes_plain)),
    Mistake("Assault counts for nothing", "assault_bonus",
            _unit(lambda u, _: replace(u, assault=0))),
    Mistake("Shield counts for nothing", "shield_bonus", _unit(lambda u, _: replace(u, shield=0))),
    Mistake("Assault counts for defenders, Shield for attackers", "assault_bonus",
            _asked(_other_bonus)),
    Mistake("Tank is ignored", "tank_first", _unit(lambda u, _: replace(u, tank=False))),
    Mistake("a Tank need not come first", "tank_first", _leaving_out("tank_first")),
    Mistake("a Tank absorbs everything", "tank_lethal_first_still", _only_takers("tank", True)),
    Mistake("one lethal Tank is enough", "tank_multiple", _after_one_of("tank_first")),
    Mistake("Backline is ignored", "backline_last", _unit(lambda u, _: replace(u, backline=False))),
    Mistake("Backline need not come last", "backline_last", _leaving_out("backline_last")),
    Mistake("several Backline units are taken in board order", "backline_multiple",
            _among_legal(_backline_in_board_order)),
    Mistake("Backline never gets anything", "backline_lethal_first_still",
            _only_takers("backline", False)),
    Mistake("one lethal unit is enough to reach the Backline", "backline_last",
            _after_one_of("backline_last")),
    *(
        Mistake(f"every board is played by {key}", "replacements_apply_to_assignment",
                _asked(_by_edition(key)))
        for key in EDITIONS
    ),
    *(
        Mistake(f"the reading {switch} is always {SWITCHES[switch][0]}", rule,
                _reading(**{switch: SWITCHES[switch][0]}))
        for switch, rule in (
            ("undamageable", "undamageable_exempt"),
            ("only_undamageable", "assign_total"),
            ("prevent_all", "prevent_all_never_lethal"),
            ("leftover", "no_over_assignment"),
            ("must_kill", "lethal_in_full_before_next"),
            ("already_lethal", "might_kill_check"),
        )
    ),
)  # fmt: skip
"""Mistakes about boards."""


def rules_tested(board: Board) -> list[str]:
    """The ids of the rules whose mistakes change the answer, in the order of `MISTAKES`."""
    truth = right(board)
    return list(dict.fromkeys(m.rule for m in MISTAKES if m.answer(board) != truth))


# --- mistakes about combats -----------------------------------------------------------------------


def combat_facts(answer: CombatAnswer) -> Json:
    """What is expected of an answer to a combat, in the JSON shape; examples are not compared."""
    from solver.answers import combat_as_data

    told = combat_as_data(answer, 0)
    facts = {part: told[part] for part in ("pools", "need", "counts")}
    facts["outcomes"] = [
        {fact: value for fact, value in way.items() if fact != "example"}
        for way in told["outcomes"]
    ]
    if "outcome" in told:
        outcome = told["outcome"]
        facts["outcome"] = outcome and {k: v for k, v in outcome.items() if k != "left"}
    return facts


def _fought(change: Callable[[Combat], Combat]) -> Callable[[Combat], Json]:
    """The engine that answers the changed combat."""
    return lambda combat: combat_facts(CombatAnswer(change(combat)))


def _fighters(change: Callable[[Unit], Unit]) -> Callable[[Combat], Json]:
    """The engine that takes each unit for the changed one."""
    return _fought(
        lambda c: replace(
            c,
            attackers=tuple(map(change, c.attackers)),
            defenders=tuple(map(change, c.defenders)),
        )
    )


def _pooling(points: Callable[[Unit, str], int]) -> Callable[[Combat], Json]:
    """The engine to which each unit adds so many points to the pool of its side."""

    def answer(combat: Combat) -> Json:
        found = CombatAnswer(combat)
        for side, units in (("attacker", combat.attackers), ("defender", combat.defenders)):
            pool = sum(points(unit, f"{side}s") for unit in units)
            found.boards[side] = replace(found.boards[side], pool=max(0, pool))  # type: ignore[index]
        return combat_facts(found)

    return answer


def _only_attackers(unit: Unit, role: str) -> int:
    """What a unit adds where nobody strikes back."""
    return contribution(unit, "attackers") if role == "attackers" else 0


def _might_if_dealing(unit: Unit, role: str) -> int:
    """What a unit adds where a negative Might is taken as it is."""
    silent = unit.stunned or unit.no_combat_damage
    return 0 if silent else current_might(unit, role)  # type: ignore[arg-type]


def _printed_might(unit: Unit, role: str) -> int:
    """What a unit adds where Assault and Shield are left out."""
    return 0 if unit.stunned or unit.no_combat_damage else max(0, unit.might)


def _one_by_one(combat: Combat) -> Json:
    """The end where each unit puts all of its points on one enemy."""
    answer = CombatAnswer(combat)
    facts = combat_facts(answer)
    reached: dict[str, set[Assignment]] = {}
    for side, units in (("attacker", combat.attackers), ("defender", combat.defenders)):
        strokes = [_might_if_dealing(unit, f"{side}s") for unit in units]
        victims = len(combat.defenders if side == "attacker" else combat.attackers)
        reached[side] = {(0,) * victims}
        for points in (stroke for stroke in strokes if stroke > 0 and victims):
            reached[side] = {
                tuple(x + points * (i == hit) for i, x in enumerate(vector))
                for vector in reached[side]
                for hit in range(victims)
            }
        facts["counts"][side] = len(reached[side])
    if any(given not in reached[side] for side, given in answer.chosen.items()):
        facts["outcome"] = None
    return _ended_by(
        combat,
        facts,
        (
            (*dead(answer.boards["defender"], theirs), *dead(answer.boards["attacker"], mine))
            for mine, theirs in product(reached["attacker"], reached["defender"])
        ),
    )


def _ended_by(combat: Combat, facts: Json, deaths: Iterable[tuple[str, ...]]) -> Json:
    """The facts with the outcomes to which the deaths of each pair of assignments lead."""
    outcomes = [{**asdict(ending(combat, d)), "ways": n} for d, n in Counter(deaths).items()]
    same = sorted(map(repr, outcomes)) == sorted(map(repr, facts["outcomes"]))
    return facts if same else {**facts, "outcomes": outcomes}


def _ignoring_together(combat: Combat) -> Combat:
    both = (*combat.attacker.ignores, *combat.defender.ignores)
    return replace(
        combat,
        attacker=replace(combat.attacker, ignores=both),
        defender=replace(combat.defender, ignores=both),
    )


def _ending(change: Callable[[Json, Combat], Json]) -> Callable[[Combat], Json]:
    """The engine that ends combats otherwise; the change says what is otherwise in an outcome."""

    def answer(combat: Combat) -> Json:
        facts = combat_facts(CombatAnswer(combat))
        facts["outcomes"] = [{**way, **change(way, combat)} for way in facts["outcomes"]]
        if outcome := facts.get("outcome"):
            facts["outcome"] = {**outcome, **change(outcome, combat)}
        return facts

    return answer


def _attackers_strike_first(combat: Combat) -> Json:
    """The end where a defender that dies deals nothing."""
    answer = CombatAnswer(combat)
    deaths = []
    for mine in exact.Legal(answer.boards["attacker"]):
        killed = dead(answer.boards["attacker"], mine)
        left = [unit for unit in combat.defenders if unit.name not in killed]
        back = replace(answer.boards["defender"], pool=pool(left, "defenders"))
        deaths += [(*dead(back, theirs), *killed) for theirs in exact.Legal(back)]
    return _ended_by(combat, combat_facts(answer), deaths)


def _recall_is_a_loss(way: Json, combat: Combat) -> Json:
    return {"result": "defender_won"} if way["recalled"] else {}


def _no_recall(way: Json, combat: Combat) -> Json:
    return {"recalled": (), "restaged": True} if way["recalled"] else {}


def _nobody_keeps_control(way: Json, combat: Combat) -> Json:
    kept = way["control"] == "uncontrolled" and not way["restaged"]
    return {"control": combat.control or "uncontrolled"} if kept else {}


def _control_never_changes(way: Json, combat: Combat) -> Json:
    return {"control": combat.control or "uncontrolled", "conquer": False}


def _nobody_controls_meanwhile(way: Json, combat: Combat) -> Json:
    return {"control": "uncontrolled"} if way["restaged"] else {}


def _only_attackers_conquer(way: Json, combat: Combat) -> Json:
    return {"conquer": way["conquer"] and way["control"] == "attacker"}


def _keeping_is_conquering(way: Json, combat: Combat) -> Json:
    holds = way["control"] in OTHER and not way["restaged"]
    return {"conquer": holds and way["control"] not in combat.scored_this_turn}


def _everybody_dead_is_a_win(way: Json, combat: Combat) -> Json:
    fallen = len(way["dead"]) == len((*combat.attackers, *combat.defenders))
    return {"result": "defender_won"} if fallen and way["result"] == "no_result" else {}


def _dealt_as_assigned(way: Json, combat: Combat) -> Json:
    if "dealt" not in way:
        return {}
    found = CombatAnswer(combat)
    return {
        "dealt": {
            name: raw
            for side, given in found.chosen.items()
            for name, raw in zip(found.boards[side].names, given, strict=True)
        }
    }


def _replaced_again(way: Json, combat: Combat) -> Json:
    """What counts at assignment already acts once more when damage is dealt."""
    if "dealt" not in way:
        return {}
    dealt = dict(way["dealt"])
    for unit in (*combat.attackers, *combat.defenders):
        if dealt[unit.name]:
            dealt[unit.name] = pipeline(unit.replacements).applied(way["applied"][unit.name])
    return {"dealt": dealt}


COMBAT_MISTAKES: Final[tuple[CombatMistake, ...]] = (
    CombatMistake("a stunned unit adds to the pool", "stun_no_contribution",
                  _fighters(lambda u: replace(u, stunned=False))),
    CombatMistake("a unit without combat damage adds to the pool", "sum_attackers",
                  _fighters(lambda u: replace(u, no_combat_damage=False))),
    CombatMistake("negative Might takes from the pool", "might_negative_as_zero",
                  _pooling(_might_if_dealing)),
    CombatMistake("Assault and Shield add nothing to the pool", "assault_bonus",
                  _pooling(_printed_might)),
    CombatMistake("Assault counts for nothing", "assault_bonus",
                  _fighters(lambda u: replace(u, assault=0))),
    CombatMistake("Shield counts for nothing", "shield_bonus",
                  _fighters(lambda u: replace(u, shield=0))),
    CombatMistake("negative Might counts as 0 before Assault and Shield",
                  "might_negative_real_value",
                  _fighters(lambda u: replace(u, might=max(0, u.might)))),
    CombatMistake("each unit picks a victim of its own", "sum_attackers", _one_by_one),
    CombatMistake("nobody strikes back", "sum_defenders", _pooling(_only_attackers)),
    CombatMistake("attackers strike first", "deal_simultaneously", _attackers_strike_first),
    CombatMistake("what one side ignores, both do", "ignore_scope",
                  _fought(_ignoring_together)),
    CombatMistake("nobody is recalled", "cleanup_recall_3d", _ending(_no_recall)),
    CombatMistake("a recall is a loss", "result_none", _ending(_recall_is_a_loss)),
    CombatMistake("with everybody dead the Defender wins", "result_win",
                  _ending(_everybody_dead_is_a_win)),
    CombatMistake("units that arrive are left out", "result_restage",
                  _fought(lambda c: replace(c, arrivals=Arrivals()))),
    CombatMistake("with nobody left control stays", "uncontrolled_if_empty",
                  _ending(_nobody_keeps_control)),
    CombatMistake("control never changes", "establish_control", _ending(_control_never_changes)),
    CombatMistake("nobody has control until a Combat that follows is over",
                  "contested_control_frozen", _ending(_nobody_controls_meanwhile)),
    CombatMistake("only the Attacker conquers", "control_any_player",
                  _ending(_only_attackers_conquer)),
    CombatMistake("keeping control is a Conquer", "conquer_on_control",
                  _ending(_keeping_is_conquering)),
    CombatMistake("what was scored can be conquered again", "score_once_per_turn",
                  _fought(lambda c: replace(c, scored_this_turn=()))),
    CombatMistake("what is assigned is dealt", "deal_assigned", _ending(_dealt_as_assigned)),
    CombatMistake("what counts when assigned acts again when dealt", "replacement_once_per_event",
                  _ending(_replaced_again)),
    CombatMistake("excess is counted in raw points", "no_over_assignment",
                  _fought(lambda c: replace(c, readings=replace(c.readings, excess="raw")))),
    CombatMistake("the reading excess is always applied", "no_over_assignment",
                  _fought(lambda c: replace(c, readings=replace(c.readings, excess="applied")))),
)  # fmt: skip
"""Mistakes about combats beyond those about the boards of the two sides."""


def rules_tested_by(combat: Combat) -> list[str]:
    """The ids of the rules whose mistakes change the answer, those about the end last."""
    answer = CombatAnswer(combat)
    facts = combat_facts(answer)
    of_boards = [rule for board in answer.boards.values() for rule in rules_tested(board)]
    of_combat = [m.rule for m in COMBAT_MISTAKES if m.answer(combat) != facts]
    return list(dict.fromkeys((*of_boards, *of_combat)))
