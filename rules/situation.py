"""The nouns before a combat: battlefields with their units, players, and what is pending."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec.structs import force_setattr

from rules.board import Assigner, Unit, check_edition, units_in
from rules.checks import check_name, flag, sequence
from rules.editions import CANONICAL
from rules.errors import BadRequest, did_you_mean, shown
from rules.position import enumerate_words
from rules.readings import Readings


class Battlefield(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A battlefield with its units by player, and what will happen to them there.

    `contested_by` is the player whose units applied Contested, `controller` who controls it.
    `leaves` are names of units that are gone before a Combat opens, `leaves_showdown` of units that
    are gone when its Showdown closes; `arrives_showdown` are units that come during the Showdown,
    `arrives_later` units that come after the cleanup. Might is as of when the Showdown closes.
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
        for field in ("units", "arrives_showdown", "arrives_later"):
            by_player = getattr(self, field)
            if not isinstance(by_player, dict):
                raise BadRequest(f"expected units by player, not {shown(by_player)}", f"$.{field}")
            checked = {p: units_in(u, f"$.{field}.{p}") for p, u in by_player.items()}
            force_setattr(self, field, checked)
        if len(self.players()) > 2:
            raise BadRequest(
                "units of three players cannot be at one battlefield [462.3]", "$.units"
            )
        there = {unit.name for units in self.units.values() for unit in units}
        for field in ("leaves", "leaves_showdown"):
            for i, name in enumerate(sequence(getattr(self, field), f"$.{field}")):
                _known(name or "a unit without a name", sorted(there), f"$.{field}[{i}]")

    def players(self, gone: Sequence[str] = ()) -> tuple[str, ...]:
        """The players who have units there, other than those that are gone."""
        return tuple(
            player
            for player, units in self.units.items()
            if any(unit.name not in gone for unit in units)
        )


class Situation(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is on the table when a cleanup looks for Combats.

    `players` are in turn order and `turn_player` is the first of them unless another is named.
    `showdown` names the battlefield where a Showdown is running, `focus` who has Focus, `pick` the
    staged Combat that the Turn Player picks. `triggers` are pending abilities by player,
    `start_of_combat` effects worded so. `assigners` are the options of players who assign.
    """

    players: tuple[str, ...]
    battlefields: tuple[Battlefield, ...]
    turn_player: str | None = None
    chain_empty: bool = True
    showdown: str | None = None
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
        flag(self.chain_empty, "$.chain_empty")
        players = sequence(self.players, "$.players")
        for i, player in enumerate(players):
            check_name(player, f"$.players[{i}]")
            if player in players[:i]:
                raise BadRequest(f"{shown(player)} is named twice", f"$.players[{i}]")
        if len(players) < 2:
            raise BadRequest("a game has at least two players", "$.players")
        for i, site in enumerate(sequence(self.battlefields, "$.battlefields")):
            if not isinstance(site, Battlefield):
                raise BadRequest(
                    f"expected a battlefield, not {shown(site)}", f"$.battlefields[{i}]"
                )
        sites = [site.name for site in self.battlefields]
        for i, site in enumerate(self.battlefields):
            where = f"$.battlefields[{i}]"
            if site.name in sites[:i]:
                raise BadRequest(f"{shown(site.name)} is named twice", f"{where}.name")
            self._check_players(site, where)
        for field, known in (
            ("turn_player", players),
            ("focus", players),
            ("showdown", sites),
            ("pick", sites),
        ):
            _known(getattr(self, field), known, f"$.{field}")
        for field in ("triggers", "assigners"):
            for player in getattr(self, field):
                _known(player, players, f"$.{field}.{shown(player)}")

    def _check_players(self, site: Battlefield, where: str) -> None:
        for field in ("units", "arrives_showdown", "arrives_later"):
            for player in getattr(site, field):
                _known(player, self.players, f"{where}.{field}.{shown(player)}")
        for i, player in enumerate(site.scored_this_turn):
            _known(player, self.players, f"{where}.scored_this_turn[{i}]")
        _known(site.contested_by, self.players, f"{where}.contested_by")
        _known(site.controller, self.players, f"{where}.controller")
        two = site.players()
        if len(two) == 2 and site.contested_by not in two:
            raise BadRequest(
                f"units of {two[0]} and {two[1]} are there, so one of them applied Contested",
                f"{where}.contested_by",
            )

    @property
    def turn_order(self) -> tuple[str, ...]:
        """The players in turn order, the Turn Player first."""
        start = self.players.index(self.turn_player) if self.turn_player else 0
        return self.players[start:] + self.players[:start]


def _known(name: str | None, known: Sequence[str], where: str) -> None:
    if name is not None and name not in known:
        hint = did_you_mean(name, known)
        raise BadRequest(f"{shown(name)} is none of {enumerate_words(list(known))}{hint}", where)
