"""The nouns before a combat: battlefields with their units, players, and what is pending."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import count
from typing import Final

import msgspec
from msgspec.structs import force_setattr

from rules.board import (
    MAX_UNITS,
    Assigner,
    Unit,
    check_distinct,
    check_edition,
    named_units,
    units_in,
)
from rules.checks import check_name, check_text, flag, sequence
from rules.editions import CANONICAL
from rules.errors import BadRequest, did_you_mean, shown
from rules.position import enumerate_words
from rules.readings import Readings

MAX_PLAYERS: Final = 10_000
MAX_BATTLEFIELDS: Final = 1_000
MAX_TEXTS: Final = 10_000
"""How many triggers may be pending in all, and how many effects of one kind."""

_BY_PLAYER: Final = ("units", "arrives_showdown", "arrives_later")


class Battlefield(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A battlefield with its units by player, and what will happen to them there.

    `contested_by` is the player whose units applied Contested, `controller` who controls it.
    `leaves` are names of units that are gone before a Combat opens, `leaves_showdown` of units that
    are gone when its Showdown closes; `arrives_showdown` are units that come during the Showdown,
    `arrives_later` units that come after the cleanup. Might is as of when the Showdown closes.

    Units without a name are A1, A2, … if their player applied Contested, else D1, D2, …, by their
    position among all that the player has there, those that come later last.
    """

    name: str
    units: dict[str, tuple[Unit, ...]] = {}
    contested_by: str | None = None
    controller: str | None = None
    scored_this_turn: tuple[str, ...] = ()
    leaves: tuple[str, ...] = ()
    leaves_showdown: tuple[str, ...] = ()
    arrives_showdown: dict[str, tuple[Unit, ...]] = {}
    arrives_later: dict[str, tuple[Unit, ...]] = {}

    def __post_init__(self) -> None:
        check_name(self.name)
        for field in _BY_PLAYER:
            by_player = getattr(self, field)
            if not isinstance(by_player, dict):
                raise BadRequest(f"expected units by player, not {shown(by_player)}", f"$.{field}")
            checked = {p: units_in(u, f"$.{field}.{shown(p)}") for p, u in by_player.items()}
            force_setattr(self, field, checked)
        self._check_sides()
        self._name_units()
        self._check_leaving()
        scored = sequence(self.scored_this_turn, "$.scored_this_turn")
        force_setattr(self, "scored_this_turn", scored)

    def players(self, gone: Collection[str] = ()) -> tuple[str, ...]:
        """The players who have units there, other than those that are gone."""
        return tuple(
            player
            for player, units in self.units.items()
            if any(unit.name not in gone for unit in units)
        )

    def groups(self) -> Iterator[tuple[str, str, tuple[Unit, ...]]]:
        """The units that are there or will be: as which field, whose, and which."""
        for field in _BY_PLAYER:
            for player, units in getattr(self, field).items():
                yield field, player, units

    def _check_sides(self) -> None:
        """[462, 462.1, 462.2] A Combat is between two players; nobody else can come to it."""
        two = self.players()
        if len(two) > 2:
            raise BadRequest(
                "units of more than two players cannot be at one battlefield [462.3]", "$.units"
            )
        if len(two) == 2 and self.contested_by not in two:
            raise BadRequest(
                f"units of {two[0]} and {two[1]} are there, so one of them applied Contested",
                "$.contested_by",
            )
        for field, player, units in self.groups():
            if not units or player in two:
                continue
            where = f"$.{field}.{shown(player)}"
            if len(two) == 2:
                raise BadRequest(
                    f"units of {shown(player)} cannot come to {self.name}, where {two[0]} and "
                    f"{two[1]} have a Combat [462.1, 462.2]",
                    where,
                )
            raise BadRequest(
                f"no Combat is staged at {self.name} for units to come to; those that are there "
                "belong under units",
                where,
            )

    def _name_units(self) -> None:
        for player in dict.fromkeys(player for _, player, _ in self.groups()):
            initial = "A" if player == self.contested_by else "D"
            numbers = (f"{initial}{number}" for number in count(1))
            total = 0
            for field in _BY_PLAYER:
                by_player = getattr(self, field)
                units = named_units(by_player.get(player, ()), numbers)
                total += len(units)
                if total > MAX_UNITS:
                    raise BadRequest(
                        f"at most {MAX_UNITS} units a side, not {total}",
                        f"$.{field}.{shown(player)}",
                        "limit",
                    )
                if player in by_player:
                    by_player[player] = units

    def _check_leaving(self) -> None:
        there = [unit.name for units in self.units.values() for unit in units]
        late = [unit.name for units in self.arrives_showdown.values() for unit in units]
        for field, known in (("leaves", there), ("leaves_showdown", there + late)):
            names = sequence(getattr(self, field), f"$.{field}")
            for i, name in enumerate(names):
                _check_one_of(name, known, f"$.{field}[{i}]")
                if field == "leaves_showdown" and name in self.leaves:
                    raise BadRequest(
                        f"{name} is gone before the Showdown already", f"$.{field}[{i}]"
                    )
            force_setattr(self, field, tuple(dict.fromkeys(names)))


class Situation(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is on the table when a cleanup looks for Combats.

    `players` are in turn order and `turn_player` is the first of them unless another is named.
    `showdown` names the battlefield where a Showdown is running, `under_way` the one where a Combat
    is, `focus` who has Focus, `pick` the staged Combat that the Turn Player picks. `triggers` are
    pending abilities by player, `start_of_combat` and `end_of_combat` effects worded so.
    `assigners` are the options of players who assign.
    """

    players: tuple[str, ...]
    battlefields: tuple[Battlefield, ...]
    turn_player: str | None = None
    chain_empty: bool = True
    showdown: str | None = None
    under_way: str | None = None
    focus: str | None = None
    pick: str | None = None
    start_of_combat: tuple[str, ...] = ()
    end_of_combat: tuple[str, ...] = ()
    triggers: dict[str, tuple[str, ...]] = {}
    assigners: dict[str, Assigner] = {}
    attacker_assigns: tuple[int, ...] | dict[str, int] | None = None
    defender_assigns: tuple[int, ...] | dict[str, int] | None = None
    edition: str = CANONICAL
    readings: Readings = Readings()

    def __post_init__(self) -> None:
        check_edition(self.edition, "$.edition")
        if not isinstance(self.readings, Readings):
            raise BadRequest("expected readings", "$.readings")
        flag(self.chain_empty, "$.chain_empty")
        self._check_players()
        self._check_battlefields()
        sites = [site.name for site in self.battlefields]
        for field, known in (
            ("turn_player", self.players),
            ("focus", self.players),
            ("showdown", sites),
            ("under_way", sites),
            ("pick", sites),
        ):
            if (name := getattr(self, field)) is not None:
                _check_one_of(name, known, f"$.{field}")
        for field in ("start_of_combat", "end_of_combat"):
            force_setattr(self, field, _texts(getattr(self, field), f"$.{field}", "an effect"))
        self._check_by_player()

    def _check_players(self) -> None:
        players = sequence(self.players, "$.players")
        if len(players) > MAX_PLAYERS:
            raise BadRequest(f"at most {MAX_PLAYERS} players", "$.players", "limit")
        _check_names(players, "$.players[{}]")
        if len(players) < 2:
            raise BadRequest("a game has at least two players", "$.players")
        force_setattr(self, "players", players)

    def _check_battlefields(self) -> None:
        sites = sequence(self.battlefields, "$.battlefields")
        if len(sites) > MAX_BATTLEFIELDS:
            raise BadRequest(f"at most {MAX_BATTLEFIELDS} battlefields", "$.battlefields", "limit")
        for i, site in enumerate(sites):
            if not isinstance(site, Battlefield):
                sentence = f"expected a battlefield, not {shown(site)}"
                raise BadRequest(sentence, f"$.battlefields[{i}]")
        _check_names([site.name for site in sites], "$.battlefields[{}].name")
        for i, site in enumerate(sites):
            self._check_battlefield(site, f"$.battlefields[{i}]")
        force_setattr(self, "battlefields", sites)

    def _check_battlefield(self, site: Battlefield, where: str) -> None:
        for field, player, _ in site.groups():
            _check_one_of(player, self.players, f"{where}.{field}.{shown(player)}")
        for i, player in enumerate(site.scored_this_turn):
            _check_one_of(player, self.players, f"{where}.scored_this_turn[{i}]")
        for field in ("contested_by", "controller"):
            if (name := getattr(site, field)) is not None:
                _check_one_of(name, self.players, f"{where}.{field}")
        check_distinct({f"{where}.{field}.{shown(p)}": units for field, p, units in site.groups()})

    def _check_by_player(self) -> None:
        for field in ("triggers", "assigners"):
            by_player = getattr(self, field)
            if not isinstance(by_player, dict):
                raise BadRequest(
                    f"expected {field} by player, not {shown(by_player)}", f"$.{field}"
                )
            for player in by_player:
                _check_one_of(player, self.players, f"$.{field}.{shown(player)}")
        for player, assigner in self.assigners.items():
            if not isinstance(assigner, Assigner):
                raise BadRequest("expected an assigner", f"$.assigners.{player}")
        triggers = {p: _texts(t, f"$.triggers.{p}", "a trigger") for p, t in self.triggers.items()}
        if sum(map(len, triggers.values())) > MAX_TEXTS:
            raise BadRequest(f"at most {MAX_TEXTS} triggers in all", "$.triggers", "limit")
        force_setattr(self, "triggers", triggers)

    @property
    def turn_order(self) -> tuple[str, ...]:
        """The players in turn order, the Turn Player first."""
        start = self.players.index(self.turn_player) if self.turn_player else 0
        return self.players[start:] + self.players[:start]


def _check_one_of(name: object, known: Collection[str], where: str) -> None:
    """Raise `BadRequest`, with what was perhaps meant, unless the name is one of those known."""
    if name not in known:
        hint = did_you_mean(name, known)
        among = f"none of {enumerate_words(list(known))}" if known else "not there: nothing is"
        raise BadRequest(f"{shown(name)} is {among}{hint}", where)


def _check_names(names: Collection[str], where: str) -> None:
    """Raise `BadRequest` unless all are names and no two the same; `where` has {} for the place."""
    seen: set[str] = set()
    for i, name in enumerate(names):
        check_name(name, where.format(i))
        if name in seen:
            raise BadRequest(f"{shown(name)} is named twice", where.format(i))
        seen.add(name)


def _texts(value: object, where: str, noun: str) -> tuple[str, ...]:
    texts = sequence(value, where)
    if len(texts) > MAX_TEXTS:
        raise BadRequest(f"at most {MAX_TEXTS} here, not {len(texts)}", where, "limit")
    return tuple(check_text(text, f"{where}[{i}]", noun) for i, text in enumerate(texts))
