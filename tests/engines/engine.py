"""A right engine by brute force, and with a named switch a wrong one: one mistake each.

It speaks newline-delimited JSON and shares no code with the product. Every split of the pool is
tried. `python engine.py` is right; `python engine.py marked-ignored` is not.
"""

from __future__ import annotations

import itertools
import json
import sys
from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]
Need = Any
"""Points, "never" or "exempt"."""

MISTAKES = (
    "prevented-exempt",
    "dual-always-tank",
    "dual-always-backline",
    "must-kill",
    "excess-in-one-pile",
    "excess-dropped",
    "two-partials",
    "over-assignment",
    "marked-ignored",
    "zero-needs-nothing",
    "double-ignored",
    "double-ignored-beside-prevent",
    "prevent-ignored",
    "replacements-reversed",
    "assault-left-out",
    "shield-left-out",
    "any-damage-ignored",
    "tank-ignored",
    "tank-absorbs",
    "one-tank-is-enough",
    "backline-ignored",
    "backline-in-order",
    "undamageable-takes-points",
    "undamageable-blocks",
    "ignoring-ignored",
    "both-ignore",
    "units-in-order",
    "pool-unspent",
    "recall-is-loss",
    "control-never-changes",
    "attackers-first",
    "per-attacker",
    "negative-subtracts",
    "negative-rounded-up",
    "stunned-contributes",
    "scored-again",
    "always-conquers",
    "double-rounds-down",
    "keywords-count-once",
    "excess-raw",
    "dealt-as-assigned",
    "dealt-twice",
)
mistake = sys.argv[1] if len(sys.argv) > 1 else ""
FOLDED = {"439": (), "443": (), "460": ("prevent",)}
DEFAULTS = {
    "undamageable": "skip",
    "only_undamageable": "assign",
    "prevent_all": "sink",
    "leftover": "any",
    "must_kill": "no",
    "already_lethal": "zero",
    "excess": "applied",
}


class Board:
    """One side's question, as this engine sees it."""

    def __init__(self, data: Json) -> None:
        self.pool: int = data["pool"]
        self.units: list[Json] = data["units"]
        self.bonus = "assault" if data.get("units_are") == "attackers" else "shield"
        assigner = data.get("assigner", {})
        self.ignores = [] if mistake == "ignoring-ignored" else assigner.get("ignores", [])
        self.any_damage = assigner.get("any_damage_is_lethal") and mistake != "any-damage-ignored"
        self.edition: str = data.get("edition", "465")
        self.readings = {**DEFAULTS, **data.get("readings", {})}
        if mistake == "must-kill":
            self.readings["must_kill"] = "yes"
        if mistake == "excess-in-one-pile" and self.readings["leftover"] == "any":
            self.readings["leftover"] = "one_unit"
        if mistake == "prevented-exempt":
            self.readings["prevent_all"] = "exempt"
        self.needs = [self.need(unit) for unit in self.units]
        self.takers = [i for i, least in enumerate(self.needs) if least != "exempt"]
        tanks = [i for i in self.takers if 0 in self.tiers(self.units[i])]
        if mistake == "tank-absorbs" and tanks:
            self.takers = tanks
        if mistake == "excess-dropped":
            amounts = [self.needs[i] for i in self.takers]
            if amounts and all(isinstance(least, int) for least in amounts):
                self.pool = min(self.pool, sum(amounts))

    def might(self, unit: Json) -> int:
        return might(unit, self.bonus)

    def steps(self, unit: Json) -> list[str]:
        """The replacements of a unit as this engine knows them."""
        steps = list(unit.get("replacements", []))
        if mistake == "double-ignored" or (
            mistake == "double-ignored-beside-prevent" and any(s != "double" for s in steps)
        ):
            steps = [s for s in steps if s != "double"]
        if mistake == "prevent-ignored":
            steps = [s for s in steps if s == "double"]
        return steps[::-1] if mistake == "replacements-reversed" else steps

    def folded(self, unit: Json) -> list[str]:
        kinds = FOLDED.get(self.edition, ("prevent", "double"))
        return [s for s in self.steps(unit) if s.split()[0] in kinds]

    def exempt(self, unit: Json) -> bool:
        if unit.get("undamageable"):
            return mistake not in ("undamageable-takes-points", "undamageable-blocks")
        all_prevented = "prevent all" in self.folded(unit)
        return self.readings["prevent_all"] == "exempt" and all_prevented

    def wanted(self, unit: Json) -> int:
        """Dealt damage that is lethal; 0 where that is marked already."""
        might = self.might(unit)
        marked = 0 if mistake == "marked-ignored" else unit.get("marked", 0)
        if mistake == "zero-needs-nothing" and might <= 0:
            return 0
        h = max(0, max(1, might) - marked)
        return 1 if h and self.any_damage else h

    def need(self, unit: Json) -> Need:
        if self.exempt(unit):
            return "exempt"
        if mistake == "undamageable-blocks" and unit.get("undamageable"):
            return "never"
        h = self.wanted(unit)
        if self.readings["already_lethal"] == "one":
            h = max(1, h)
        most = h + sum(int(s.split()[1]) for s in self.folded(unit) if s[-1].isdigit())
        steps = self.folded(unit)
        if mistake == "double-rounds-down" and steps == ["double"]:
            return h // 2 or min(h, 1)
        return next((raw for raw in range(most + 1) if through(steps, raw) >= h), "never")

    def tiers(self, unit: Json) -> tuple[int, ...]:
        tank = unit.get("tank") and "tank" not in self.ignores and mistake != "tank-ignored"
        back = unit.get("backline") and "backline" not in self.ignores
        back = back and mistake != "backline-ignored"
        if tank and back:
            only = {"dual-always-tank": (0,), "dual-always-backline": (2,)}
            return only.get(mistake, (0, 2))
        return (0,) if tank else (2,) if back else (1,)

    def splits(self) -> Iterator[tuple[int, ...]]:
        pools = range(self.pool + 1) if mistake == "pool-unspent" else (self.pool,)
        if not self.units:
            yield ()
            return
        nothing = self.readings["only_undamageable"] == "nothing" and not self.takers
        for pool in (0,) if nothing else pools:
            bars = itertools.combinations(range(pool + len(self.units) - 1), len(self.units) - 1)
            for cut in bars:
                ends = (-1, *cut, pool + len(self.units) - 1)
                yield tuple(b - a - 1 for a, b in itertools.pairwise(ends))

    def lethal(self, x: tuple[int, ...], i: int) -> bool:
        return isinstance(self.needs[i], int) and x[i] >= self.needs[i]

    def legal(self, x: tuple[int, ...]) -> bool:
        total = sum(x)
        nothing = not self.units or (
            not self.takers and self.readings["only_undamageable"] == "nothing"
        )
        if total != (0 if nothing else self.pool) and not (
            mistake == "pool-unspent" and total <= self.pool
        ):
            return False
        if not self.takers:
            return True
        lethal = [self.lethal(x, i) for i in range(len(x))]
        partial = [i for i in self.takers if x[i] and not lethal[i]]
        over = [i for i in self.takers if isinstance(self.needs[i], int) and x[i] > self.needs[i]]
        if len(partial) > 1 and mistake != "two-partials":
            return False
        if over and not all(lethal[i] for i in self.takers) and mistake != "over-assignment":
            return False
        if len(over) > 1 and self.readings["leftover"] != "any":
            return False
        if (
            self.readings["undamageable"] == "skip"
            and len(self.takers) < len(x)
            and any(x[i] for i in range(len(x)) if i not in self.takers)
        ):
            return False
        choices = itertools.product(*(self.tiers(self.units[i]) for i in self.takers))
        return any(
            self.ordered(x, lethal, partial, over, dict(zip(self.takers, tiers, strict=True)))
            for tiers in choices
        )

    def ordered(
        self,
        x: tuple[int, ...],
        lethal: list[bool],
        partial: list[int],
        over: list[int],
        tier: dict[int, int],
    ) -> bool:
        """Is the order of tiers kept, for one choice of the dual units?"""
        hit = [i for i in range(len(x)) if x[i]]
        tanks = [i for i in tier if tier[i] == 0]
        late = [i for i in hit if tier.get(i, 1) != 0]
        if late and mistake == "one-tank-is-enough":
            if tanks and not any(lethal[i] for i in tanks):
                return False
        elif late and not all(lethal[i] for i in tanks):
            return False
        if any(tier.get(i) == 2 for i in hit) and not all(lethal[i] for i in tier if tier[i] != 2):
            return False
        last = max(tier.values())
        if self.readings["leftover"] == "last_unit" and any(tier[i] != last for i in over):
            return False
        if self.readings["must_kill"] == "yes":
            for p in partial:
                for u in tier:
                    killable = isinstance(self.needs[u], int) and self.needs[u] <= x[p]
                    if u != p and tier[u] == tier[p] and not lethal[u] and killable:
                        return False
        if mistake in ("units-in-order", "backline-in-order"):
            for u, v in itertools.combinations(tier, 2):
                concerned = mistake == "units-in-order" or tier[u] == 2
                if concerned and tier[u] == tier[v] and x[v] and not lethal[u]:
                    return False
        return True

    def all_legal(self) -> list[tuple[int, ...]]:
        return sorted(x for x in self.splits() if self.legal(x))

    def dealt(self, i: int, raw: int) -> int:
        return 0 if self.exempt(self.units[i]) else through(self.steps(self.units[i]), raw)

    def dies(self, i: int, raw: int) -> bool:
        unit, dealt = self.units[i], self.dealt(i, raw)
        if self.any_damage and dealt:
            return True
        marked = dealt + (0 if mistake == "marked-ignored" else unit.get("marked", 0))
        return (marked > 0 or mistake == "zero-needs-nothing") and marked >= self.might(unit)

    def excess(self, i: int, raw: int) -> int:
        least = self.needs[i]
        if not isinstance(least, int):
            return 0
        if self.readings["excess"] == "raw" or mistake == "excess-raw":
            return max(0, raw - least)
        steps = self.folded(self.units[i])
        return max(0, through(steps, raw) - through(steps, least))


def through(steps: list[str], points: int) -> int:
    for step in steps:
        if step == "double":
            points *= 2
        elif step == "prevent all":
            points = 0
        else:
            points = max(0, points - int(step.split()[1]))
    return points


def might(unit: Json, bonus: str) -> int:
    printed = max(0, unit["might"]) if mistake == "negative-rounded-up" else unit["might"]
    more = 0 if mistake == f"{bonus}-left-out" else unit.get(bonus, 0)
    return int(printed + (min(1, more) if mistake == "keywords-count-once" else more))


def contribution(unit: Json, bonus: str) -> int:
    if unit.get("stunned") and mistake != "stunned-contributes":
        return 0
    if unit.get("no_combat_damage"):
        return 0
    points = might(unit, bonus)
    return points if mistake == "negative-subtracts" else max(0, points)


class Combat:
    """Both sides' boards, and how it ends."""

    def __init__(self, data: Json) -> None:
        self.data = data
        self.units = {"attacker": data["attackers"], "defender": data["defenders"]}
        self.pools = {
            "attacker": max(0, sum(contribution(u, "assault") for u in data["attackers"])),
            "defender": max(0, sum(contribution(u, "shield") for u in data["defenders"])),
        }
        self.boards = {side: self.board(side, self.pools[side]) for side in self.pools}

    def board(self, side: str, pool: int) -> Board:
        other = "defender" if side == "attacker" else "attacker"
        assigner = self.data.get(side, {})
        if mistake == "both-ignore":
            ignores = assigner.get("ignores", []) + self.data.get(other, {}).get("ignores", [])
            assigner = {**assigner, "ignores": ignores}
        return Board(
            {
                "pool": pool,
                "units": self.units[other],
                "units_are": f"{other}s",
                "assigner": assigner,
                "edition": self.data.get("edition", "465"),
                "readings": self.data.get("readings", {}),
            }
        )

    def legal(self, side: str) -> list[tuple[int, ...]]:
        if mistake != "per-attacker":
            return self.boards[side].all_legal()
        bonus = "assault" if side == "attacker" else "shield"
        victims = len(self.boards[side].units)
        reached = {(0,) * victims}
        for points in [contribution(u, bonus) for u in self.units[side]]:
            if points:
                reached = {
                    tuple(x + points * (i == hit) for i, x in enumerate(vector))
                    for vector in reached
                    for hit in range(victims)
                } or {()}
        return sorted(reached)

    def dead(self, side: str, x: tuple[int, ...]) -> tuple[str, ...]:
        board = self.boards[side]
        return tuple(u["name"] for i, u in enumerate(board.units) if board.dies(i, x[i]))

    def ending(self, killed: tuple[str, ...]) -> Json:
        arrivals = self.data.get("arrivals", {})
        attackers = [u["name"] for u in self.units["attacker"] if u["name"] not in killed]
        defenders = [u["name"] for u in self.units["defender"] if u["name"] not in killed]
        recalled = attackers if defenders else []
        attacking = bool((attackers and not recalled) or arrivals.get("attackers"))
        defending = bool(defenders or arrivals.get("defenders"))
        before = self.data.get("control", "defender")
        restaged = attacking and defending
        if restaged:
            control = "uncontrolled" if before in (None, "none") else before
        elif attacking or defending:
            control = "attacker" if attacking else "defender"
        else:
            control = "uncontrolled"
        if recalled or attacking == defending:
            result = "no_result"
        else:
            result = "attacker_won" if attacking else "defender_won"
        if mistake == "recall-is-loss" and recalled:
            result = "defender_won"
        scored = [] if mistake == "scored-again" else self.data.get("scored_this_turn", [])
        gained = control != before or mistake == "always-conquers"
        conquer = control != "uncontrolled" and gained and not restaged and control not in scored
        if mistake == "control-never-changes":
            control, conquer = before or "uncontrolled", False
        everybody = (*self.units["attacker"], *self.units["defender"])
        return {
            "dead": [u["name"] for u in everybody if u["name"] in killed],
            "recalled": recalled,
            "result": result,
            "control": control,
            "conquer": conquer,
            "restaged": restaged,
        }

    def answer(self) -> Json:
        legal = {side: self.legal(side) for side in self.boards}
        ways: dict[tuple[str, ...], int] = {}
        for mine in legal["attacker"]:
            fallen = self.dead("attacker", mine)
            struck_back = legal["defender"]
            if mistake == "attackers-first":
                left = [u for u in self.units["defender"] if u["name"] not in fallen]
                pool = sum(contribution(u, "shield") for u in left)
                struck_back = self.board("defender", pool).all_legal()
            for theirs in struck_back:
                killed = (*fallen, *self.dead("defender", theirs))
                ways[killed] = ways.get(killed, 0) + 1
        response: Json = {
            "pools": self.pools,
            "need": {
                "attackers": self.boards["defender"].needs,
                "defenders": self.boards["attacker"].needs,
            },
            "counts": {side: len(found) for side, found in legal.items()},
            "outcomes": [{**self.ending(killed), "ways": n} for killed, n in ways.items()],
        }
        given = {side: self.data.get(f"{side}_assigns") for side in self.boards}
        if all(x is not None for x in given.values()):
            chosen = {side: tuple(x or ()) for side, x in given.items()}
            good = all(chosen[side] in legal[side] for side in chosen)
            response["outcome"] = self.outcome(chosen) if good else None
        return response

    def outcome(self, chosen: dict[str, tuple[int, ...]]) -> Json:
        applied, dealt, killed = {}, {}, ()
        excess = {}
        for side, x in chosen.items():
            board = self.boards[side]
            for i, unit in enumerate(board.units):
                counted = 0 if board.exempt(unit) else through(board.folded(unit), x[i])
                applied[unit["name"]], dealt[unit["name"]] = counted, board.dealt(i, x[i])
                if mistake == "dealt-as-assigned":
                    dealt[unit["name"]] = x[i]
                if mistake == "dealt-twice":
                    dealt[unit["name"]] = board.dealt(i, counted)
            excess[side] = sum(board.excess(i, raw) for i, raw in enumerate(x))
            killed = (*killed, *self.dead(side, x))
        return {**self.ending(killed), "applied": applied, "dealt": dealt, "excess": excess}


def answer(request: Json) -> Json:
    op = request["op"]
    if op == "combat":
        return Combat(request).answer()
    board = Board(request)
    if op == "need":
        return {"need": board.needs}
    if op == "check":
        return {"legal": board.legal(tuple(request["assignment"]))}
    if op == "count":
        return {"count": len(board.all_legal())}
    if op == "list":
        found = board.all_legal()
        return {"assignments": found, "count": len(found), "truncated": False}
    return {"ok": False, "error": {"code": "unknown_op", "message": f"no op {op}", "path": "$.op"}}


def main() -> None:
    if mistake == "--list":
        print("\n".join(MISTAKES))
        return
    if mistake and mistake not in MISTAKES:
        sys.exit(f"no mistake {mistake}")
    for line in sys.stdin:
        request = json.loads(line)
        response = {"id": request.get("id"), "ok": True, **answer(request)}
        print(json.dumps(response), flush=True)


if __name__ == "__main__":
    main()
