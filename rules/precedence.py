"""Who comes before whom: Tank, Backline, dual units and ignored keywords.

465.2.c.6 to 465.2.c.9, 766, 767, 815 and 826. A rule of precedence parts the units into those that
lead and those that follow, and says which lead in one function; constraints, violations and the
graph are all drawn from it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any, ClassVar, Final

from msgspec.structs import replace

from rules.board import Board, check_board
from rules.editions import Edition
from rules.errors import BadRequest, did_you_mean, shown
from rules.position import Position, Tier, enumerate_words
from rules.rule import Facts, L, Rule, Terms, Violation

if TYPE_CHECKING:
    import networkx as nx


class Precedence(Rule):
    """A rule by which the units that lead must be lethal before any that follows gets points.

    Exempt units neither lead nor follow; only where points on them are optional they follow.
    """

    keyword: ClassVar[str]

    def leading(self, t: Facts[L]) -> Sequence[L]:
        """For each unit whether it is one of those that come first."""
        raise NotImplementedError

    def speaks(self, t: Facts[L]) -> L:
        """The rule has something to say on this board."""
        raise NotImplementedError

    def post(self, t: Terms[L]) -> None:
        lead = self.leading(t)
        ready = t.all(t.any((t.no(lead[u]), t.exempt[u], t.lethal[u])) for u in t.units)
        for v in t.units:
            t.clause(t.no(self.speaks(t)), t.no(t.hit[v]), t.no(t.bound[v]), lead[v], ready)

    def violations(self, p: Position) -> Iterator[Violation]:
        waited_for, early = self.out_of_order(p)
        if waited_for:
            names = enumerate_words([p.name(u) for u in early])
            yield self.broken(
                p,
                [*waited_for, *early],
                f"{names} {'has' if len(early) == 1 else 'have'} points before "
                f"{p.tallies(waited_for)} {'is' if len(waited_for) == 1 else 'are'} lethal "
                f"({self.keyword})",
            )

    def out_of_order(self, p: Position) -> tuple[list[int], list[int]]:
        """The leading units that are not lethal and the units that went before them, if any."""
        if not self.speaks(p):
            return [], []
        lead = self.leading(p)
        early = [v for v in p.units if p.hit[v] and not lead[v] and p.bound[v]]
        if not early:
            return [], []
        waited_for = [u for u in p.units if lead[u] and not (p.lethal[u] or p.exempt[u])]
        return (waited_for, early) if waited_for else ([], [])

    def order(self, p: Position) -> tuple[list[int], list[int]]:
        """The units that come first, and those that wait for all of them: none if it is silent."""
        if not self.speaks(p):
            return [], []
        lead = self.leading(p)
        first = [u for u in p.units if lead[u] and not p.exempt[u]]
        return first, [v for v in p.units if p.bound[v] and not lead[v]]


class ObeyRequirements(Precedence):
    """[465.2.c.6] What effects demand about the order of assignment is obeyed where possible.

    Tank and Backline have rules of their own that say it. Where an edition has no rule for the
    keyword Backline, the sentence on the card binds all the same, by this one.
    """

    slug = "obey_requirements"
    keyword = "Backline"

    def speaks(self, t: Facts[L]) -> L:
        return t.all(()) if "backline_last" not in t.edition else t.any(())

    def leading(self, t: Facts[L]) -> Sequence[L]:
        return list(map(t.no, t.last))


class TankFirst(Precedence):
    """[815.1.b] A unit with Tank must be lethal before a unit without it gets points."""

    slug = "tank_first"
    keyword = "Tank"

    def speaks(self, t: Facts[L]) -> L:
        return t.any(t.first)

    def leading(self, t: Facts[L]) -> Sequence[L]:
        return t.first


class TankMultiple(TankFirst):
    """[815.1.c.2] Several Tanks are free among themselves; the others wait for all of them."""

    slug = "tank_multiple"
    implied_by = ("tank_first",)

    def speaks(self, t: Facts[L]) -> L:
        return t.several(t.first)


class TankLethalFirstStill(Rule):
    """[815.1.c.1] Tank says who is first, not that all points go there.

    Once a Tank is lethal the next unit has its turn, as everywhere.
    """

    slug = "tank_lethal_first_still"
    implied_by = ("lethal_in_full_before_next", "no_over_assignment")


class BacklineLast(Precedence):
    """[826.3] A unit with Backline gets no points before every unit without it is lethal."""

    slug = "backline_last"
    keyword = "Backline last"

    def speaks(self, t: Facts[L]) -> L:
        return t.any(t.last)

    def leading(self, t: Facts[L]) -> Sequence[L]:
        return list(map(t.no, t.last))


class BacklineMultiple(BacklineLast):
    """[826.4.b] Several Backline units are free among themselves, once the others are lethal."""

    slug = "backline_multiple"
    implied_by = ("backline_last",)

    def speaks(self, t: Facts[L]) -> L:
        return t.several(t.last)


class BacklineLethalFirstStill(Rule):
    """[826.4.a] Backline says who is last; each unit is still made lethal before the next."""

    slug = "backline_lethal_first_still"
    implied_by = ("lethal_in_full_before_next", "no_over_assignment")


class SamePriorityAnyOrder(Rule):
    """[465.2.c.7] Units of the same tier may be taken in any order.

    A permission: nothing orders two units of one tier.
    """

    slug = "same_priority_any_order"


class ExclusionaryChooseOne(Rule):
    """[465.2.c.8] A unit with Tank and Backline is wholly one or wholly the other.

    The assigner chooses; in between is not possible. It is broken where, whatever is chosen, such a
    unit goes too early or is passed over.
    """

    slug = "exclusionary_choose_one"
    implied_by = ("backline_last", "obey_requirements")

    def follows_from(self, within: Edition) -> tuple[str, ...]:
        # What a card demands stands in where no rule is printed for Backline.
        return super().follows_from(within)[:1]

    def post(self, t: Terms[L]) -> None:
        for rule in _keyword_rules(t):
            lead = rule.leading(t)
            ready = [t.any((t.no(lead[u]), t.exempt[u], t.lethal[u])) for u in t.units]
            all_ready = t.all(ready)
            duals_ready = t.all(t.any((t.no(t.dual[u]), ready[u])) for u in t.units)
            for v in t.units:
                early = t.all((rule.speaks(t), t.hit[v], t.bound[v], t.no(lead[v])))
                t.clause(t.no(early), duals_ready)
                t.clause(t.no(early), t.no(t.dual[v]), all_ready)

    def violations(self, p: Position) -> Iterator[Violation]:
        # Tank and Backline may have the same to say of a unit.
        yield from dict.fromkeys(self._each(p))

    def _each(self, p: Position) -> Iterator[Violation]:
        for rule in _keyword_rules(p):
            waited_for, early = rule.out_of_order(p)
            for u in [u for u in (*waited_for, *early) if p.dual[u]]:
                others = early if u in waited_for else waited_for
                tier = "Tank, the first" if p.first[u] else "Backline, the last"
                verb = "is passed over for" if u in waited_for else "goes before"
                yield self.broken(
                    p,
                    [u],
                    f"{p.tally(u)} is to be wholly Tank or wholly Backline; taken as {tier}, it "
                    f"{verb} {enumerate_words([p.name(v) for v in others])}",
                )


class ExclusionaryEachUnit(Rule):
    """[465.2.c.9] Of several dual units each is decided on its own.

    A permission: one may be taken as Tank while another is taken as Backline.
    """

    slug = "exclusionary_each_unit"


class IgnoreEffects(Rule):
    """[766] A keyword that is ignored is as good as absent.

    A dual unit whose Tank is ignored is Backline only, and the reverse.
    """

    slug = "ignore_effects"


class IgnoreScope(Rule):
    """[767] A keyword is ignored for the assigner whose effect says so, and for nobody else."""

    slug = "ignore_scope"


_KEYWORD_RULES: Final[tuple[Precedence, ...]] = (ObeyRequirements(), TankFirst(), BacklineLast())


def _keyword_rules(t: Facts[Any]) -> list[Precedence]:
    return [rule for rule in _KEYWORD_RULES if rule.slug in t.edition]


def precedence_graph(board: Board, tiers: Mapping[str, Tier] | None = None) -> nx.DiGraph[str]:
    """The order between the units of a board, as a graph of their names.

    An edge `u -> v` says that u must be lethal before v gets points; its attribute `rules` is the
    tuple of rule ids that say so. A dual unit has edges only where `tiers` says which of its
    keywords is chosen: `tiers={"A": "tank"}` [465.2.c.8]. Raises `BadRequest` for a name in `tiers`
    that is no dual unit, and for a tier that is neither "tank" nor "backline".
    """
    import networkx as nx

    check_board(board)
    chosen = dict(tiers or {})
    nothing = (0,) * len(board.units)
    still = Position(board, nothing)
    duals = {still.name(u) for u in still.units if still.dual[u]}
    for name, tier in chosen.items():
        if name not in duals:
            hint = did_you_mean(name, duals)
            raise BadRequest(f"{shown(name)} is no unit with Tank and Backline in force{hint}")
        if tier not in ("tank", "backline"):
            raise BadRequest(f"a tier is tank or backline, not {shown(tier)}")
    # A dual unit that is not decided stands outside the order, as an exempt one does.
    undecided = duals - chosen.keys()
    units = (replace(u, undamageable=True) if u.name in undecided else u for u in board.units)
    p = Position(replace(board, units=tuple(units)), nothing, chosen)
    edges: dict[tuple[int, int], tuple[str, ...]] = {}
    for rule in (*_keyword_rules(p), TankMultiple(), BacklineMultiple()):
        if rule.slug in p.edition:
            first, after = rule.order(p)
            for u, v in product(first, (v for v in after if p.name(v) not in undecided)):
                edges[u, v] = (*edges.get((u, v), ()), rule.slug)
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(board.names)
    for (u, v), rules in sorted(edges.items()):
        graph.add_edge(p.name(u), p.name(v), rules=rules)
    return graph
