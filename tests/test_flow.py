"""The course of a combat, sentence by sentence of the combat flow it was written from."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from math import factorial
from pathlib import Path
from typing import Any

import networkx as nx
import pytest

from rules import EDITIONS, BadRequest
from rules.flow import Chain, Flow, chain_graph, chain_orders, play, trigger_groups
from rules.wire import read_situation
from solver.outcomes import course

Json = dict[str, Any]

SENTENCES = {
    "Staged with units of two opposing players": "test_it_is_staged_where_two_players_have_units",
    "Begins in a cleanup, chain empty, nothing running elsewhere": (
        "test_it_waits_for_an_empty_chain_and_for_showdowns_elsewhere"
    ),
    "With several staged the Turn Player decides": "test_the_turn_player_picks_among_several",
    "Exactly two players; invalid destination for others": (
        "test_for_everyone_else_the_battlefield_is_no_valid_destination"
    ),
    "Start-of-combat effects happen": "test_start_of_combat_effects_happen_first",
    "Attacker applied Contested, the other defends, units follow": (
        "test_attacker_defender_and_units_are_designated"
    ),
    "Attacker gains Focus if the Showdown opens with it": "test_the_attacker_gains_focus",
    "A running Showdown's holder of Focus keeps it": "test_a_running_showdown_keeps_its_focus",
    "Triggers: Attacker, non-Defenders in turn order, Defender": (
        "test_triggers_go_on_the_chain_in_the_order_of_their_players"
    ),
    "Damage only if both sides remain": "test_without_both_sides_the_damage_step_is_skipped",
    "Sum the current Might of both sides": "test_both_pools_are_summed_from_current_might",
    "Each assigns its total, Attacker first; all dealt at once": (
        "test_both_assign_attacker_first_and_all_is_dealt_at_once"
    ),
    "Lethal in full, never more while others remain": "test_an_illegal_assignment_stops_it",
    "Tank first, Backline last, equals in any order": "test_tank_and_backline_bind_it",
    "Who cannot be dealt damage is skipped": "test_who_cannot_be_dealt_damage_is_skipped",
    "Cleanup: heal, recall Attackers if Defenders remain": (
        "test_the_cleanup_kills_heals_and_recalls"
    ),
    "Win, lose, no result": "test_the_result_is_won_lost_or_none",
    "Both still there: Showdown and Combat staged again": (
        "test_late_arrivals_on_both_sides_stage_it_again"
    ),
    "Control, a Conquer if not scored this turn": (
        "test_who_is_left_controls_and_conquers_once_a_turn"
    ),
    "Combat ends, designations and effects end": "test_it_ends_with_everything_that_lasted_for_it",
}
"""Every statement of the combat flow, in our words, with the test that holds it."""


def test_every_statement_has_its_test() -> None:
    assert all(callable(globals()[name]) for name in SENTENCES.values())


def site(**fields: Any) -> Json:
    return {
        "name": "Grove",
        "units": {"Ann": [{"might": 5}], "Bo": [{"might": 3}]},
        "contested_by": "Ann",
        "controller": "Bo",
        **fields,
    }


MILL = site(name="Mill", units={"Cy": [{"might": 2}], "Bo": [{"might": 2}]}, contested_by="Cy")


def situation(*sites: Json, **fields: Any) -> Json:
    return {"players": ["Ann", "Bo", "Cy"], "battlefields": list(sites) or [site()], **fields}


def flow(*sites: Json, **fields: Any) -> Flow:
    return play(read_situation(situation(*sites, **fields)))


def said(found: Flow, rule: str) -> list[str]:
    return [step.text for step in found.steps if step.rule == rule]


def rules(found: Flow) -> list[str]:
    return [step.rule for step in found.steps]


def test_it_is_staged_where_two_players_have_units() -> None:
    alone = site(name="Peak", units={"Cy": [{"might": 2}]}, contested_by="Cy")
    found = flow(alone, site())
    assert found.staged == ("Grove",)
    assert said(found, "combat_staged") == ["A Combat of Ann and Bo is staged at Grove."]
    nothing = flow(alone)
    assert nothing.status == "none"
    assert nothing.steps == ()


def test_it_waits_for_an_empty_chain_and_for_showdowns_elsewhere() -> None:
    for waiting in (
        flow(chain_empty=False),
        flow(site(), site(name="Peak", units={}), showdown="Peak"),
    ):
        assert waiting.status == "waiting"
        assert rules(waiting)[-1] == "combat_occurs"
        assert waiting.battlefield is None
    assert "begins in the cleanup" in said(flow(), "combat_occurs")[0]


def test_the_turn_player_picks_among_several() -> None:
    open_choice = flow(site(), MILL)
    assert open_choice.status == "pick"
    assert open_choice.picks == "Ann"
    assert open_choice.staged == ("Grove", "Mill")
    assert said(open_choice, "combat_turn_player_picks") == [
        "Ann, the Turn Player, picks which Combat is next: Grove and Mill."
    ]
    picked = flow(site(), MILL, pick="Mill", turn_player="Cy")
    assert (picked.picks, picked.battlefield) == ("Cy", "Mill")
    assert picked.attacker == "Cy"


def test_a_pick_that_nobody_can_make_is_refused() -> None:
    with pytest.raises(BadRequest, match="no Combat is staged at Peak"):
        flow(site(), site(name="Peak", units={}), pick="Peak")
    with pytest.raises(BadRequest, match="its Combat is next"):
        flow(site(), MILL, showdown="Grove", pick="Mill")


def test_a_combat_that_unstages_never_happens() -> None:
    scout = {"might": 3, "name": "Scout"}
    gone = site(units={"Ann": [{"might": 5}], "Bo": [scout]}, leaves=["Scout"])
    found = flow(gone)
    assert found.status == "none"
    assert said(found, "combat_unstaged") == [
        "Scout leaves first, so the Combat at Grove never happens."
    ]
    assert flow(gone, MILL).battlefield == "Mill"


def test_for_everyone_else_the_battlefield_is_no_valid_destination() -> None:
    found = flow(site(), MILL)
    assert found.invalid == {"Grove": ("Cy",), "Mill": ("Ann",)}
    assert said(found, "combat_invalid_destination")[0].startswith("For Cy Grove")
    assert len(said(found, "combat_invalid_play")) == 2
    two = flow(players=["Ann", "Bo"])
    assert two.invalid == {}


@pytest.mark.parametrize("field", ["arrives_showdown", "arrives_later"])
def test_a_third_player_brings_no_units_to_it(field: str) -> None:
    late = {"Bo": [{"might": 1}], "Cy": [{"might": 1}]}
    with pytest.raises(BadRequest, match="units of Cy cannot come to Grove") as refused:
        flow(MILL, site(**{field: late}))
    assert refused.value.path == f"$.battlefields[1].{field}.Cy"
    alone = site(units={"Cy": [{"might": 1}]}, **{field: {"Bo": [{"might": 1}]}})
    with pytest.raises(BadRequest, match="no Combat is staged at Grove") as refused:
        flow(alone)
    assert refused.value.path == f"$.battlefields[0].{field}.Bo"


def test_units_of_three_players_at_one_battlefield_are_refused() -> None:
    three = {"Ann": [{"might": 1}], "Bo": [{"might": 1}], "Cy": [{"might": 1}]}
    with pytest.raises(BadRequest, match="more than two players") as refused:
        flow(site(units=three))
    assert refused.value.path == "$.battlefields[0].units"
    assert said(flow(), "combat_two_players") == ["Nobody but its two players takes part."]


def test_start_of_combat_effects_happen_first() -> None:
    found = flow(start_of_combat=["draw 1"])
    assert said(found, "start_of_combat_effects") == ["At the start of the Combat: draw 1."]
    order = rules(found)
    assert order.index("start_of_combat_effects") < order.index("designate_attacker")


@pytest.mark.parametrize("key", EDITIONS)
def test_start_of_combat_effects_are_printed_from_465_on(key: str) -> None:
    table = EDITIONS[key]
    assert bool(said(flow(start_of_combat=["draw 1"], edition=key), "start_of_combat_effects"))
    assert (table.number("start_of_combat_effects") is not None) == (key in ("465", "467"))


def test_attacker_defender_and_units_are_designated() -> None:
    found = flow(site(contested_by="Bo", arrives_showdown={"Ann": [{"might": 1}], "Cy": []}))
    assert (found.attacker, found.defender) == ("Bo", "Ann")
    assert said(found, "designate_attacker") == [
        "Bo is the Attacker, whose units applied Contested."
    ]
    assert "Ann" in said(found, "designate_defender")[0]
    assert len(said(found, "designate_units")) == 1
    assert said(found, "designate_late_units") == [
        "1 unit of Ann coming during the Showdown will be Defender from the next cleanup on."
    ]
    assert found.combat is not None
    assert len(found.combat.defenders) == 2


def test_units_that_come_late_can_leave_before_the_showdown_closes() -> None:
    late = {"Ann": [{"might": 1, "name": "Scout"}, {"might": 2}]}
    found = flow(site(arrives_showdown=late, leaves_showdown=["Scout", "A1"]))
    assert found.combat is not None
    assert [unit.name for unit in found.combat.attackers] == ["A3"]


def test_the_attacker_gains_focus() -> None:
    assert flow(focus="Bo").focus == "Ann"
    assert flow().focus == "Ann"
    assert len(said(flow(), "focus_new_showdown")) == 1


@pytest.mark.parametrize(("key", "focus"), [("465", "Bo"), ("467", "Bo"), ("460", "Ann")])
def test_a_running_showdown_keeps_its_focus(key: str, focus: str) -> None:
    found = flow(showdown="Grove", focus="Bo", edition=key)
    assert found.focus == focus
    assert len(said(found, "combat_from_showdown")) == 1
    assert bool(said(found, "focus_existing_showdown")) == (focus == "Bo")


def test_triggers_go_on_the_chain_in_the_order_of_their_players() -> None:
    pending = {"Bo": ["guard"], "Dee": ["echo"], "Cy": ["spy", "spy"], "Ann": ["rush", "roar"]}
    asked = situation(players=["Dee", "Bo", "Cy", "Ann"], turn_player="Cy", triggers=pending)
    read = read_situation(asked)
    groups = trigger_groups(read, "Ann", "Bo")
    assert groups == {
        "Ann": ["Ann: rush", "Ann: roar"],
        "Cy": ["Cy: spy", "Cy: spy (2)"],
        "Dee": ["Dee: echo"],
        "Bo": ["Bo: guard"],
    }
    found = play(read)
    assert found.chain is not None
    assert found.chain.orders == 4
    assert found.chain.first[0] == tuple(name for group in groups.values() for name in group)
    assert said(found, "combat_chain_order") == [
        "First those of Ann, then of Cy, then of Dee, then of Bo, each player ordering their own: "
        "4 orders."
    ]
    graph = chain_graph(read, "Ann", "Bo")
    legal = {tuple(order) for order in nx.all_topological_sorts(graph)}
    assert legal == set(chain_orders(groups.values())) == set(found.chain.first)


def test_orders_of_the_chain_come_in_lexicographic_order() -> None:
    assert list(chain_orders([["a", "b"], ["c"], ["d", "e"]])) == [
        ("a", "b", "c", "d", "e"),
        ("a", "b", "c", "e", "d"),
        ("b", "a", "c", "d", "e"),
        ("b", "a", "c", "e", "d"),
    ]
    assert list(chain_orders([])) == [()]


def test_without_triggers_nothing_goes_on_the_chain() -> None:
    found = flow()
    assert found.chain == Chain(orders=1, first=((),))
    assert not said(found, "combat_chain")


@pytest.mark.parametrize(
    ("pending", "told"),
    [
        ({"Cy": ["x"]}, "All are of Cy, who orders them: 1 order."),
        ({"Bo": ["x", "y"]}, "All are of Bo, who orders them: 2 orders."),
        (
            {"Bo": ["x"], "Ann": ["y"]},
            "First those of Ann, then of Bo, each player ordering their own: 1 order.",
        ),
    ],
)
def test_whose_triggers_they_are_is_told(pending: Json, told: str) -> None:
    assert said(flow(triggers=pending), "combat_chain_order") == [told]


def test_triggers_are_told_apart_whatever_they_are_called() -> None:
    pending = {"A": ["B: c", "B: c (2)", "B: c"], "A: B": ["c"]}
    read = read_situation(situation(players=["Ann", "Bo", "A", "A: B"], triggers=pending))
    groups = trigger_groups(read, "Ann", "Bo")
    assert groups == {
        "A": ["A: B: c", "A: B: c (2)", "A: B: c (3)"],
        "A: B": ["A: B: c (4)"],
    }
    assert chain_graph(read, "Ann", "Bo").number_of_nodes() == 4


def test_many_triggers_are_counted_not_listed() -> None:
    found = flow(triggers={"Ann": [f"t{i}" for i in range(20)], "Bo": ["x", "y"]})
    assert found.chain is not None
    assert found.chain.orders == 2432902008176640000 * 2
    assert len(found.chain.first) == 6


@pytest.fixture
def numbers_of_any_length() -> Iterator[None]:
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    yield
    sys.set_int_max_str_digits(limit)


@pytest.mark.usefixtures("numbers_of_any_length")
def test_two_thousand_triggers_of_one_player_are_counted() -> None:
    found = flow(triggers={"Ann": ["again"] * 2000})
    assert found.chain is not None
    assert found.chain.orders == factorial(2000)
    first = found.chain.first[0]
    assert (first[0], first[-1]) == ("Ann: again", "Ann: again (2000)")


@pytest.mark.usefixtures("numbers_of_any_length")
def test_three_thousand_players_may_have_triggers() -> None:
    players = ["Ann", "Bo", *(f"P{i}" for i in range(3000))]
    found = flow(players=players, triggers={player: ["x"] for player in players})
    assert found.chain is not None
    assert found.chain.orders == 1
    assert found.chain.first[0][:3] == ("Ann: x", "P0: x", "P1: x")
    assert found.chain.first[0][-1] == "Bo: x"


def test_without_both_sides_the_damage_step_is_skipped() -> None:
    scout = {"might": 3, "name": "Scout"}
    fled = site(units={"Ann": [{"might": 5}], "Bo": [scout]}, leaves_showdown=["Scout"])
    found = flow(fled)
    assert said(found, "damage_step_condition") == [
        "No Defenders are left there, so it is skipped."
    ]
    assert not said(found, "sum_attackers")
    assert found.outcome is not None
    assert found.outcome.result == "attacker_won"
    assert found.outcome.conquer


def test_both_pools_are_summed_from_current_might() -> None:
    units = {
        "Ann": [{"might": 5, "assault": 2}, {"might": 3, "stunned": True}],
        "Bo": [{"might": 3, "shield": 1}, {"might": -2}],
    }
    found = flow(site(units=units))
    assert said(found, "sum_attackers") == ["Ann has A1 7 + A2 0 = 7 points."]
    assert said(found, "sum_defenders") == ["Bo has D1 4 + D2 0 = 4 points."]


def test_both_assign_attacker_first_and_all_is_dealt_at_once() -> None:
    found = flow(attacker_assigns=[5], defender_assigns={"A1": 3})
    order = rules(found)
    first, second = said(found, "assign_total")
    assert (first, second) == ("Ann assigns D1 5 of 3.", "Bo assigns A1 3 of 5.")
    assert order.index("assign_not_deal") < order.index("deal_simultaneously")
    assert said(found, "deal_assigned") == ["Dealt: A1 3 and D1 5."]


def test_it_is_open_until_both_have_assigned() -> None:
    found = flow()
    assert found.status == "open"
    assert said(found, "assign_total") == [
        "Ann is to assign 5 points among D1.",
        "Bo is to assign 3 points among A1.",
    ]
    assert rules(found)[-1] == "assign_total"


def test_where_nobody_has_a_choice_it_is_played_to_its_end() -> None:
    found = course(read_situation(situation()))
    assert found.status == "over"
    assert found.outcome is not None
    assert found.outcome.dead == ("D1",)
    choice = situation(site(units={"Ann": [{"might": 5}], "Bo": [{"might": 3}, {"might": 3}]}))
    assert course(read_situation(choice)).status == "open"


def test_an_illegal_assignment_stops_it() -> None:
    units = {"Ann": [{"might": 5}], "Bo": [{"might": 3}, {"might": 3}]}
    found = flow(site(units=units), attacker_assigns=[4, 1], defender_assigns=[6])
    assert found.status == "open"
    assert [violation.rule for violation in found.violations] == ["no_over_assignment"]
    assert said(found, "no_over_assignment")[0].startswith("That is illegal: D1 4 of 3")


def test_tank_and_backline_bind_it() -> None:
    units = {
        "Ann": [{"might": 3}],
        "Bo": [{"might": 3, "tank": True}, {"might": 2}, {"might": 1, "backline": True}],
    }
    on = site(units=units)
    assert flow(on, attacker_assigns=[3, 0, 0], defender_assigns=[6]).status == "over"
    wrong = flow(on, attacker_assigns=[1, 2, 0], defender_assigns=[6])
    assert "tank_first" in rules(wrong)
    last = flow(on, attacker_assigns=[2, 0, 1], defender_assigns=[6])
    assert "backline_last" in rules(last)


def test_who_cannot_be_dealt_damage_is_skipped() -> None:
    units = {"Ann": [{"might": 3}], "Bo": [{"might": 3, "undamageable": True}, {"might": 3}]}
    on = site(units=units)
    assert flow(on, attacker_assigns=[0, 3], defender_assigns=[6]).status == "over"
    assert "undamageable_exempt" in rules(flow(on, attacker_assigns=[3, 0], defender_assigns=[6]))


def test_the_cleanup_kills_heals_and_recalls() -> None:
    units = {"Ann": [{"might": 5}], "Bo": [{"might": 3}, {"might": 3}]}
    found = flow(site(units=units), attacker_assigns=[3, 2], defender_assigns=[6])
    order = rules(found)
    assert said(found, "cleanup_kill_3b") == ["Dead, all together: A1 and D1."]
    assert order.index("cleanup_kill_3b") < order.index("cleanup_heal_3c")
    recalled = flow(site(units={"Ann": [{"might": 2}], "Bo": [{"might": 3, "stunned": True}]}),
                    attacker_assigns=[2], defender_assigns=[0])  # fmt: skip
    assert said(recalled, "cleanup_recall_3d") == ["A1 recalled, since Defenders are there."]


RESULTS = [
    ("won", {"Ann": [{"might": 5}], "Bo": [{"might": 3}]}, ["result_win", "result_lose"]),
    ("lost", {"Ann": [{"might": 2}], "Bo": [{"might": 3}]}, ["result_win", "result_lose"]),
    ("none-left", {"Ann": [{"might": 3}], "Bo": [{"might": 3}]}, ["result_none"]),
    ("recalled", {"Ann": [{"might": 0}], "Bo": [{"might": 0}]}, ["result_none"]),
]


@pytest.mark.parametrize(("name", "units", "expected"), RESULTS, ids=[r[0] for r in RESULTS])
def test_the_result_is_won_lost_or_none(name: str, units: Json, expected: list[str]) -> None:
    found = course(read_situation(situation(site(units=units))))
    assert [rule for rule in rules(found) if rule.startswith("result_")] == expected
    winner = {"won": "Ann", "lost": "Bo"}.get(name)
    if winner:
        assert said(found, "result_win")[0].startswith(winner)


@pytest.mark.parametrize("key", EDITIONS)
def test_late_arrivals_on_both_sides_stage_it_again(key: str) -> None:
    late = {"Ann": [{"might": 1}], "Bo": [{"might": 1}]}
    found = course(read_situation(situation(site(arrives_later=late), edition=key)))
    assert found.status == "restaged"
    told = said(found, "result_restage")[0]
    assert ("A Showdown and a Combat are" in told) == (key != "460")
    assert not said(found, "establish_control")


CONTROL = [
    ("conquer", {}, "conquer_on_control", True),
    ("scored", {"scored_this_turn": ["Ann"]}, "score_once_per_turn", True),
    ("kept", {"controller": "Ann"}, "conquer_on_control", False),
]


@pytest.mark.parametrize(("name", "fields", "rule", "told"), CONTROL, ids=[c[0] for c in CONTROL])
def test_who_is_left_controls_and_conquers_once_a_turn(
    name: str, fields: Json, rule: str, told: bool
) -> None:
    found = course(read_situation(situation(site(**fields))))
    assert said(found, "establish_control") == ["Ann controls Grove."]
    assert bool(said(found, rule)) == told
    assert said(found, "clear_contested")


def test_nobody_left_means_nobody_in_control() -> None:
    even = site(units={"Ann": [{"might": 3}], "Bo": [{"might": 3}]})
    found = course(read_situation(situation(even)))
    assert said(found, "uncontrolled_if_empty") == ["Nobody controls Grove."]


def test_it_ends_with_everything_that_lasted_for_it() -> None:
    found = course(read_situation(situation(end_of_combat=["draw 1"])))
    ending = ["combat_ends", "designations_removed", "end_of_combat_effects", "this_combat_expires"]
    assert rules(found)[-4:] == ending


def test_other_staged_combats_stay_staged() -> None:
    found = course(read_situation(situation(site(), MILL, pick="Grove")))
    assert said(found, "combat_staged")[-1] == "The Combat at Mill is still staged."


def test_replacements_are_ordered_by_controller_or_owner_of_the_unit() -> None:
    unit = {"might": 3, "replacements": ["double", "prevent 2"]}
    on = site(units={"Ann": [{"might": 5}], "Bo": [unit]})
    assert said(flow(on), "replacement_order_chooser")[0].startswith("The controller of D1")
    older = flow(on, edition="460")
    assert said(older, "replacement_order_chooser")[0].startswith("The owner of D1")
    assert (
        "counts as lethal with 5 points but dies of 3" in said(older, "lethal_cleanup_meaning")[0]
    )
    assert not said(flow(on), "lethal_cleanup_meaning")


@pytest.mark.parametrize("key", EDITIONS)
def test_every_step_cites_the_number_of_the_edition(key: str) -> None:
    found = course(read_situation(situation(edition=key, triggers={"Ann": ["x"]})))
    assert len(found.steps) > 15
    for step in found.steps:
        assert step.number == EDITIONS[key].number(step.rule)
        assert step.text.endswith(".")


NAMED = {"Ann": [{"might": 1, "name": "X"}], "Bo": [{"might": 1}]}
NO_NAME = {"Ann": [{"might": 1, "name": ""}], "Bo": [{"might": 1}]}
FAR = "x" * 501
BAD = [
    ("unknown player", {"focus": "Dee"}, {}, "$.focus"),
    ("unknown site", {"pick": "Peak"}, {}, "$.pick"),
    ("nobody contests", {}, {"contested_by": None}, "$.battlefields[0].contested_by"),
    ("an outsider contests", {}, {"contested_by": "Cy"}, "$.battlefields[0].contested_by"),
    ("one player", {"players": ["Ann"]}, {}, "$.players"),
    ("twice", {"players": ["Ann", "Bo", "Ann"]}, {}, "$.players[2]"),
    ("no name", {"players": ["Ann", "Bo", ""]}, {}, "$.players[2]"),
    ("no name of a site", {}, {"name": ""}, "$.battlefields[0].name"),
    ("no name of a unit", {}, {"units": NO_NAME}, "$.battlefields[0].units.Ann[0].name"),
    (
        "no name of a late unit",
        {},
        {"arrives_later": NO_NAME},
        "$.battlefields[0].arrives_later.Ann[0].name",
    ),
    ("unknown field", {"foucs": "Ann"}, {}, "$.foucs"),
    ("unknown field of a site", {}, {"unit": {}}, "$.battlefields[0].unit"),
    ("bad unit", {}, {"units": {"Ann": [{"might": "x"}]}}, "$.battlefields[0].units.Ann[0].might"),
    ("edition", {"edition": "1"}, {}, "$.edition"),
    ("who leaves", {}, {"leaves": ["X"]}, "$.battlefields[0].leaves[0]"),
    (
        "leaving before it comes",
        {},
        {"units": NAMED, "arrives_showdown": {"Bo": [{"might": 1}]}, "leaves": ["D2"]},
        "$.battlefields[0].leaves[0]",
    ),
    (
        "leaving twice",
        {},
        {"units": NAMED, "leaves": ["X"], "leaves_showdown": ["X"]},
        "$.battlefields[0].leaves_showdown[0]",
    ),
    (
        "one name for two",
        {},
        {"units": NAMED, "arrives_later": {"Bo": [{"might": 1}, {"might": 1, "name": "X"}]}},
        "$.battlefields[0].arrives_later.Bo[1].name",
    ),
    (
        "the name that another has by its place",
        {},
        {"units": {"Ann": [{"might": 1}], "Bo": [{"might": 1, "name": "A1"}]}},
        "$.battlefields[0].units.Bo[0].name",
    ),
    ("empty trigger", {"triggers": {"Ann": ["x", ""]}}, {}, "$.triggers.Ann[1]"),
    ("trigger of two lines", {"triggers": {"Ann": ["x\ny"]}}, {}, "$.triggers.Ann[0]"),
    ("trigger with an escape", {"triggers": {"Ann": ["\x1b[2J"]}}, {}, "$.triggers.Ann[0]"),
    ("endless effect", {"start_of_combat": [FAR]}, {}, "$.start_of_combat[0]"),
    ("bad effect", {"end_of_combat": ["\t"]}, {}, "$.end_of_combat[0]"),
    ("too many triggers", {"triggers": {"Ann": ["x"] * 10_001}}, {}, "$.triggers.Ann"),
    ("a bad assignment", {"attacker_assigns": [1, 2]}, {}, "$.attacker_assigns"),
]


@pytest.mark.parametrize(("name", "fields", "of_site", "path"), BAD, ids=[b[0] for b in BAD])
def test_a_bad_situation_is_refused_with_the_path(
    name: str, fields: Json, of_site: Json, path: str
) -> None:
    with pytest.raises(BadRequest) as refused:
        flow(site(**of_site), **fields)
    assert refused.value.path == path
    assert "\n" not in str(refused.value)


def test_the_command_reads_a_file_and_answers_in_text_or_json(tmp_path: Path) -> None:
    file = tmp_path / "table.json"
    file.write_text(json.dumps(situation()), encoding="utf-8")
    run = [sys.executable, "-m", "solver", "flow", str(file)]
    text = subprocess.run(run, capture_output=True, text=True, check=True).stdout
    assert "464.2.c.1 (466.2.c.1)" in text
    assert text.endswith("The Combat is over.\n")
    older = subprocess.run([*run, "--edition", "460"], capture_output=True, text=True, check=True)
    assert "459.2.b.1 (466.2.c.1)" in older.stdout
    data = json.loads(subprocess.run([*run, "--json"], capture_output=True, check=True).stdout)
    assert data["status"] == "over"
    assert data["steps"][0]["rule"] == "combat_staged"
    assert data["outcome"]["conquer"] is True
