"""The combat damage step without keywords: spend it all, lethal first, no over-assignment.

465.2.c, 465.2.c.2 to 465.2.c.5 and 465.2.c.10.
"""

from __future__ import annotations

from collections.abc import Iterator

from rules.position import Position, enumerate_words
from rules.rule import Facts, L, Rule, Terms, Violation


class AssignTotal(Rule):
    """[465.2.c] The whole pool is assigned among the other side's units.

    Where there is no unit to take it, nothing is assigned. Where no unit can be dealt damage, the
    reading `only_undamageable` says whether the pool is assigned all the same.
    """

    slug = "assign_total"

    def post(self, t: Terms[L]) -> None:
        t.spend(nothing=self._nobody_takes(t))

    def violations(self, p: Position) -> Iterator[Violation]:
        given, pool = sum(p.points), p.board.pool
        nobody = self._nobody_takes(p)
        if given == (0 if nobody else pool):
            return
        if nobody:
            because = (
                f"{given} assigned, though no unit there can be dealt damage "
                "(reading only_undamageable=nothing)"
            )
        else:
            difference = f"{abs(pool - given)} too {'few' if given < pool else 'many'}"
            because = f"{given} assigned out of a pool of {pool}, {difference}"
        yield self.broken(p, [u for u in p.units if p.hit[u]], because)

    @staticmethod
    def _nobody_takes(t: Facts[L]) -> L:
        return t.all(t.exempt if t.readings.only_undamageable == "nothing" else t.absent)


class LethalInFullBeforeNext(Rule):
    """[465.2.c.3] A unit is given its need in full before another unit gets any points.

    What matters is the final assignment: at most one unit is partial. A unit that is never lethal
    is partial as soon as it has a point. Under the reading `must_kill` the partial unit may not
    have points that would have finished another unit of its tier.
    """

    slug = "lethal_in_full_before_next"

    def post(self, t: Terms[L]) -> None:
        t.at_most_one(t.partial[u] for u in t.units)
        if t.readings.must_kill == "yes":
            for p in t.units:
                for u in t.units:
                    if u != p:
                        t.clause(
                            t.no(t.partial[p]),
                            t.lethal[u],
                            t.exempt[u],
                            t.no(self._same_tier(t, p, u)),
                            t.no(t.reaches(p, u)),
                        )

    def violations(self, p: Position) -> Iterator[Violation]:
        if not any(p.partial):
            return
        partial = [u for u in p.units if p.partial[u]]
        if len(partial) > 1:
            yield self.broken(
                p, partial, f"{p.tallies(partial)}; at most one unit may be left short of lethal"
            )
        if p.readings.must_kill == "yes":
            for q in partial:
                spared = [
                    u
                    for u in p.units
                    if u != q
                    and not (p.lethal[u] or p.exempt[u])
                    and self._same_tier(p, q, u)
                    and p.reaches(q, u)
                ]
                if spared:
                    yield self.broken(
                        p,
                        [q, *spared],
                        f"{p.tally(q)} is left short of lethal with points that would have "
                        f"finished {enumerate_words([p.name(u) for u in spared])} "
                        "(reading must_kill=yes)",
                    )

    @staticmethod
    def _same_tier(t: Facts[L], p: int, u: int) -> L:
        return t.any(
            (
                t.all((t.first[p], t.first[u])),
                t.all((t.last[p], t.last[u])),
                t.all(t.no(tier[x]) for x in (p, u) for tier in (t.first, t.last)),
            )
        )


class NoOverAssignment(Rule):
    """[465.2.c.4] No unit gets more than its need while another could still take points.

    Once every unit that is not exempt is lethal the cap is lifted; the reading `leftover` says how
    the rest may then be split.
    """

    slug = "no_over_assignment"

    def post(self, t: Terms[L]) -> None:
        everyone = t.all(t.any((t.lethal[u], t.exempt[u])) for u in t.units)
        for u in t.units:
            t.clause(t.no(t.over[u]), everyone)
        if t.readings.leftover != "any":
            t.at_most_one(t.over[u] for u in t.units)
        if t.readings.leftover == "last_unit":
            for u in t.units:
                t.clause(t.no(t.over[u]), self._in_highest_tier(t, u))

    def violations(self, p: Position) -> Iterator[Violation]:
        if not any(p.over):
            return
        over = [u for u in p.units if p.over[u]]
        short = [u for u in p.units if not (p.lethal[u] or p.exempt[u])]
        if short:
            yield self.broken(
                p,
                over,
                f"{p.tallies(over)}, too much with {p.tallies(short)} still short of lethal",
            )
        if p.readings.leftover != "any" and len(over) > 1:
            yield self.broken(
                p,
                over,
                f"{p.tallies(over)}; one unit takes all that is left over "
                f"(reading leftover={p.readings.leftover})",
            )
        if p.readings.leftover == "last_unit":
            early = [u for u in over if not self._in_highest_tier(p, u)]
            if early:
                yield self.broken(
                    p,
                    early,
                    f"{p.tallies(early)} {'has' if len(early) == 1 else 'have'} what is left over, "
                    "but a unit of a later tier "
                    "is there (reading leftover=last_unit)",
                )

    @staticmethod
    def _in_highest_tier(t: Facts[L], u: int) -> L:
        there = [v for v in t.units if v != u]
        later_than_plain = t.any(t.last[v] for v in there)
        plain = t.any(t.no(t.any((t.first[v], t.last[v], t.exempt[v]))) for v in there)
        later_than_tank = t.any((later_than_plain, plain))
        return t.any(
            (
                t.last[u],
                t.no(t.any((t.first[u], later_than_plain))),
                t.all((t.first[u], t.no(later_than_tank))),
            )
        )


class MinAppliedWhenIncreased(Rule):
    """[465.2.c.4.a] Where damage to a unit is increased, need is the fewest points that are lethal.

    So a doubled unit is over-assigned as soon as it has more than those, although fewer points were
    put on it than its Might.
    """

    slug = "min_applied_when_increased"
    implied_by = ("no_over_assignment",)

    def post(self, t: Terms[L]) -> None:
        everyone = t.all(t.any((t.lethal[u], t.exempt[u])) for u in t.units)
        for u in t.units:
            t.clause(t.no(t.over[u]), t.no(t.doubled[u]), everyone)

    def violations(self, p: Position) -> Iterator[Violation]:
        over = [u for u in p.units if p.over[u] and p.doubled[u]]
        short = [u for u in p.units if not (p.lethal[u] or p.exempt[u])]
        if over and short:
            needs = enumerate_words([f"{p.needs[u]} on {p.name(u)}" for u in over])
            verb = "ends" if len(over) == 1 else "end"
            yield self.broken(p, over, f"doubled, {needs} already {verb} up lethal")


class OrderInfluence(Rule):
    """[465.2.c.2] Effects may influence the order; lethal stays what it is.

    The order that effects ask for is stated by their own rules.
    """

    slug = "order_influence"
    implied_by = ("tank_first", "backline_last", "obey_requirements")


class ReplacementsApplyToAssignment(Rule):
    """[465.2.c.5] Effects that replace damage already count while points are assigned.

    Need is the least number of points that, sent through all of a unit's replacement effects in
    their order, comes out lethal.
    """

    slug = "replacements_apply_to_assignment"


class UndamageableExempt(Rule):
    """[465.2.c.10] A unit that cannot be dealt damage is left out of the assignment.

    It gets no points while a unit that can be dealt damage is there, it holds up nobody, and its
    own Tank and Backline do not count. Under the reading `undamageable=optional` it may be given
    points, after the Tanks.
    """

    slug = "undamageable_exempt"

    def post(self, t: Terms[L]) -> None:
        if t.readings.undamageable == "optional":
            return
        nobody_else = t.all(t.exempt[u] for u in t.units)
        for u in t.units:
            t.clause(t.no(t.exempt[u]), t.no(t.hit[u]), nobody_else)

    def violations(self, p: Position) -> Iterator[Violation]:
        if not any(p.exempt) or p.readings.undamageable == "optional":
            return
        skipped = [u for u in p.units if p.exempt[u] and p.hit[u]]
        if skipped and not all(p.exempt):
            yield self.broken(
                p,
                skipped,
                f"{p.tallies(skipped)} {'is' if len(skipped) == 1 else 'are'} skipped while "
                "another unit can be dealt damage",
            )
