"""The course of a combat, sentence by sentence of the combat flow it was written from."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from math import factorial
from pathlib import Path
from typing import Any, get_args

import msgspec
import networkx as nx
import pytest
from boards import random_board

from rules import EDITIONS, Arrivals, BadRequest, Unit
from rules.flow import Chain, Flow, Status, chain_graph, chain_orders, play, trigger_groups
from rules.notation import write
from rules.situation import Battlefield, Situation
from rules.wire import read_board, read_situation
from solver import legal as legal_ones
from solver.answers import flow_as_data
from solver.course import course, only_legal

Json = dict[str, Any]

SENTENCES = {
    "Staged: units of two opponents at one battlefield": (
        "test_it_is_staged_where_two_players_have_units"
    ),
    "Begins in a cleanup: chain empty, no Showdown or Combat elsewhere": (
        "test_it_waits_for_an_empty_chain_and_for_what_is_running_elsewhere"
    ),
    "Of several that are staged the Turn Player decides the first": (
        "test_the_turn_player_picks_among_several"
    ),
    "It is always between exactly two": (
        "test_units_of_three_players_at_one_battlefield_are_refused"
    ),
    "While it is staged or under way nobody else can go there": (
        "test_for_everyone_else_the_battlefield_is_no_valid_destination"
    ),
    "Effects of its start happen": "test_start_of_combat_effects_happen_first",
    "Attacker: whose units applied Contested": "test_attacker_defender_and_units_are_designated",
    "Defender: the other one": "test_attacker_defender_and_units_are_designated",
    "Units are what their controller is": "test_attacker_defender_and_units_are_designated",
    "Focus goes to the Attacker if the Showdown opens with it": "test_the_attacker_gains_focus",
    "Focus stays with its holder if the Showdown was running": (
        "test_a_running_showdown_keeps_its_focus"
    ),
    "Triggers: the Attacker's, the others' in turn order, the Defender's": (
        "test_triggers_go_on_the_chain_in_the_order_of_their_players"
    ),
    "Damage only if units of both sides remain": (
        "test_without_both_sides_the_damage_step_is_skipped"
    ),
    "The current Might of each side is summed": "test_both_pools_are_summed_from_current_might",
    "From the Attacker on each assigns its total among the other's units": (
        "test_both_assign_attacker_first_and_all_is_dealt_at_once"
    ),
    "To assign is not to deal": "test_both_assign_attacker_first_and_all_is_dealt_at_once",
    "All is dealt at the same time": "test_two_that_kill_each_other_die_together",
    "Lethal in full before the next": "test_lethal_comes_in_full_before_the_next_unit",
    "Never above lethal while others remain": "test_an_illegal_assignment_stops_it",
    "Tanks, then the plain, then Backline": "test_tank_and_backline_bind_it",
    "Equals in any order": "test_units_of_one_tier_are_taken_in_any_order",
    "Who cannot be dealt damage is skipped": "test_who_cannot_be_dealt_damage_is_skipped",
    "A cleanup of the Combat runs": "test_the_cleanup_kills_heals_and_recalls",
    "It heals, and recalls Attackers where Defenders are left": (
        "test_the_cleanup_kills_heals_and_recalls"
    ),
    "Who alone has units left wins, who alone has none loses": (
        "test_the_result_is_won_lost_or_none"
    ),
    "No result after a recall, with both there, with neither": (
        "test_the_result_is_won_lost_or_none"
    ),
    "No result and both there: Showdown and Combat are staged again": (
        "test_late_arrivals_on_both_sides_stage_it_again"
    ),
    "With nothing staged, who has units left controls": (
        "test_who_is_left_controls_and_conquers_once_a_turn"
    ),
    "A Conquer unless scored this turn": "test_who_is_left_controls_and_conquers_once_a_turn",
    "It ends; designations and what lasts for it end": (
        "test_it_ends_with_everything_that_lasted_for_it"
    ),
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


def flow_of(line: str) -> Flow:
    """Return the course of the situation with other fields, those under Grove being the site's."""
    changed = json.loads(line)
    grove = site(**changed.pop("Grove", {}))
    return flow(grove, **changed)


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


def test_it_waits_for_an_empty_chain_and_for_what_is_running_elsewhere() -> None:
    for waiting, why in (
        (flow(chain_empty=False), "The chain is not empty"),
        (flow(site(), site(name="Peak", units={}), showdown="Peak"), "A Showdown is running at"),
        (flow(site(), MILL, under_way="Mill"), "A Combat is under way at Mill"),
        (flow(chain_empty=False, showdown="Grove"), "The chain is not empty"),
    ):
        assert waiting.status == "waiting"
        assert rules(waiting)[-1] == "combat_occurs"
        assert waiting.steps[-1].text.startswith(why)
        assert waiting.battlefield is None
    begun = said(flow(), "combat_occurs")
    assert begun == [
        "The Combat at Grove begins in the cleanup: the chain is empty and no Showdown or Combat "
        "is running elsewhere."
    ]


def test_a_combat_under_way_is_staged_no_longer() -> None:
    found = flow(under_way="Grove")
    assert (found.status, found.staged) == ("none", ())
    assert said(found, "combat_staged") == [
        "A Combat of Ann and Bo is under way, and staged no longer, at Grove."
    ]


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
    with pytest.raises(BadRequest, match="no Combat is staged at Grove") as refused:
        flow(under_way="Grove", pick="Grove")
    assert refused.value.path == "$.pick"


def test_a_combat_that_unstages_never_happens() -> None:
    units = {"Ann": [{"might": 5}, {"might": 1}], "Bo": [{"might": 3, "name": "Scout"}]}
    gone = site(units=units, leaves=["Scout"])
    found = flow(gone)
    assert (found.status, found.staged, found.invalid) == ("none", (), {})
    assert said(found, "combat_unstaged") == [
        "Scout leaves first, so the Combat at Grove never happens."
    ]
    assert flow(gone, MILL).battlefield == "Mill"
    everyone = flow(site(units=units, leaves=["Scout", "A2", "A1"]))
    assert said(everyone, "combat_unstaged") == [
        "Scout, A2 and A1 leave first, so the Combat at Grove never happens."
    ]


def test_one_that_loses_a_unit_first_stays_staged_without_it() -> None:
    units = {"Ann": [{"might": 5}, {"might": 1}], "Bo": [{"might": 3}]}
    found = flow(site(units=units, leaves=["A1"]))
    assert said(found, "combat_staged")[1] == (
        "A1 leaves first, but the Combat at Grove stays staged without."
    )
    assert said(found, "designate_units") == ["A2 is an Attacker; D1 is a Defender."]
    assert found.combat is not None
    assert [unit.name for unit in found.combat.attackers] == ["A2"]


def test_arrivals_at_a_combat_that_never_happens_are_told_of() -> None:
    late = {"Ann": [{"might": 1}]}
    found = flow(site(leaves=["D1"], arrives_showdown=late, arrives_later=late))
    assert found.warnings == (
        "what is said of the arrival of A2 and A3 is not used, as the Combat at Grove never "
        "happens",
    )


def test_for_everyone_else_the_battlefield_is_no_valid_destination() -> None:
    for under_way in (None, "Grove"):
        found = flow(site(), MILL, under_way=under_way)
        assert found.invalid == {"Grove": ("Cy",), "Mill": ("Ann",)}
        assert said(found, "combat_invalid_destination")[0] == (
            "For Cy, Grove is no valid destination to move units to."
        )
        assert len(said(found, "combat_invalid_play")) == 2
    two = flow(players=["Ann", "Bo"])
    assert two.invalid == {}
    assert not said(two, "combat_invalid_destination")


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
    units = {"Ann": [{"might": 5}, {"might": 1}], "Bo": [{"might": 3, "name": "Scout"}]}
    found = flow(site(units=units, contested_by="Bo"), turn_player="Cy")
    assert (found.attacker, found.defender) == ("Bo", "Ann")
    assert said(found, "designate_attacker") == [
        "Bo is the Attacker, whose units applied Contested."
    ]
    assert said(found, "designate_defender") == ["Ann, the other player, is the Defender."]
    assert said(found, "designate_units") == ["Scout is an Attacker; D1 and D2 are Defenders."]


def test_units_that_come_late_are_designated_later() -> None:
    late = {"Ann": [{"might": 1, "shield": 1}, {"might": 1}], "Bo": [{"might": 1}], "Cy": []}
    found = flow(site(contested_by="Bo", arrives_showdown=late))
    assert said(found, "designate_late_units") == [
        "A2, coming during the Showdown, is an Attacker from the next cleanup on.",
        "D2 and D3, coming during the Showdown, are Defenders from the next cleanup on.",
    ]
    assert said(found, "sum_defenders") == ["Ann has D1 5 + D2 2 + D3 1 = 8 points."]


def test_units_that_come_late_can_leave_before_the_showdown_closes() -> None:
    late = {"Ann": [{"might": 1, "name": "Scout"}, {"might": 2}]}
    found = flow(site(arrives_showdown=late, leaves_showdown=["Scout", "A1"]))
    assert said(found, "damage_step") == [
        "Step 2, the damage, once the Showdown has closed; Scout and A1 are gone by then."
    ]
    assert said(found, "sum_attackers") == ["Ann has A3 2 = 2 points."]


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


def test_the_graph_of_the_chain_has_an_edge_from_each_player_to_the_next() -> None:
    pending = {"Bo": ["guard"], "Cy": ["spy", "echo"], "Ann": ["rush"]}
    graph = chain_graph(read_situation(situation(triggers=pending)), "Ann", "Bo")
    assert sorted(graph.edges(data="rules")) == [
        ("Ann: rush", "Cy: echo", ("combat_chain_order",)),
        ("Ann: rush", "Cy: spy", ("combat_chain_order",)),
        ("Cy: echo", "Bo: guard", ("combat_chain_order",)),
        ("Cy: spy", "Bo: guard", ("combat_chain_order",)),
    ]


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
        "It is skipped, as no Defenders are left there."
    ]
    for rule in ("sum_attackers", "assign_total", "deal_assigned", "damage_step_end"):
        assert not said(found, rule)
    assert found.outcome is not None
    assert found.outcome.result == "attacker_won"
    assert found.outcome.conquer


def test_if_everyone_leaves_nobody_wins() -> None:
    found = flow(site(leaves_showdown=["A1", "D1"]), attacker_assigns=[], defender_assigns={})
    assert said(found, "damage_step_condition") == [
        "It is skipped, as neither Attackers nor Defenders are left there."
    ]
    assert said(found, "result_none") == ["There is no result: neither has units there."]
    assert (found.status, found.controller) == ("over", None)
    assert found.warnings == ("the assignments given are not used, as nobody assigns",)


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
    assert order.index("deal_simultaneously") < order.index("resolution_step")


def test_two_that_kill_each_other_die_together() -> None:
    even = site(units={"Ann": [{"might": 3}], "Bo": [{"might": 3}]})
    found = flow(even, attacker_assigns=[3], defender_assigns=[3])
    assert len(said(found, "deal_simultaneously")) == 1
    assert said(found, "deal_assigned") == ["Dealt: A1 3 and D1 3."]
    assert said(found, "cleanup_kill_3b") == ["A1 and D1 die together."]


def test_without_points_nothing_is_dealt() -> None:
    weak = site(units={"Ann": [{"might": 0}], "Bo": [{"might": 5, "stunned": True}]})
    found = course(read_situation(situation(weak)))
    assert said(found, "assign_total") == ["Ann assigns D1 0 of 5.", "Bo assigns A1 0 of 1."]
    assert said(found, "deal_assigned") == ["Dealt: nothing."]
    assert said(found, "cleanup_recall_3d") == ["A1 is recalled, since Defenders are there."]


def test_it_is_open_until_both_have_assigned() -> None:
    found = flow()
    assert found.status == "open"
    assert said(found, "assign_total") == [
        "Ann is to assign 5 points among D1.",
        "Bo is to assign 3 points among A1.",
    ]
    assert rules(found)[-1] == "assign_total"


TWO = {"Ann": [{"might": 5}], "Bo": [{"might": 3}, {"might": 3}]}


def test_where_nobody_has_a_choice_it_is_played_to_its_end() -> None:
    found = course(read_situation(situation()))
    assert found.status == "over"
    assert found.outcome is not None
    assert found.outcome.dead == ("D1",)


def test_where_one_has_a_choice_the_other_assigns_what_it_must() -> None:
    found = course(read_situation(situation(site(units=TWO))))
    assert found.status == "open"
    assert said(found, "assign_total") == [
        "Ann is to assign 5 points among D1 and D2.",
        "Bo assigns A1 6 of 5.",
    ]


def test_one_assignment_given_and_the_other_without_a_choice_end_it() -> None:
    found = course(read_situation(situation(site(units=TWO), attacker_assigns=[2, 3])))
    assert found.status == "over"
    assert said(found, "cleanup_kill_3b") == ["A1 and D2 die together."]
    still_open = course(read_situation(situation(site(units=TWO), defender_assigns=[6])))
    assert still_open.status == "open"


def test_an_illegal_assignment_stops_it() -> None:
    found = course(read_situation(situation(site(units=TWO), attacker_assigns=[4, 1])))
    assert found.status == "illegal"
    assert [(v.by, v.rule) for v in found.violations] == [("attacker", "no_over_assignment")]
    assert said(found, "no_over_assignment")[0].startswith("That is illegal: D1 4 of 3")
    assert found.outcome is None
    assert rules(found)[-1] == "assign_total"


def test_lethal_comes_in_full_before_the_next_unit() -> None:
    on = site(units=TWO)
    assert flow(on, attacker_assigns=[3, 2], defender_assigns=[6]).status == "over"
    units = {"Ann": [{"might": 4}], "Bo": [{"might": 3}, {"might": 3}]}
    wrong = flow(site(units=units), attacker_assigns=[2, 2], defender_assigns=[6])
    assert [v.rule for v in wrong.violations] == ["lethal_in_full_before_next"]


def test_units_of_one_tier_are_taken_in_any_order() -> None:
    for points in ([3, 2], [2, 3]):
        found = flow(site(units=TWO), attacker_assigns=points, defender_assigns=[6])
        assert found.status == "over"


ALL_LETHAL = {"Ann": [{"might": 5}], "Bo": [{"might": 3}, {"might": 2}]}


def test_the_time_limit_is_said_aloud(file: Callable[[Json], str]) -> None:
    asked = situation(site(units=ALL_LETHAL))
    stopped = course(read_situation(asked), time_limit=1e-9)
    assert stopped.status == "unknown"
    assert said(stopped, "assign_total")[0] == "Ann is to assign 5 points among D1 and D2."
    done = lethal("flow", file(asked), "--time-limit", "0.000000001")
    assert done.returncode == 3
    assert "not found out within the limits" in done.stdout
    assert "a limit stopped it" in done.stderr


def test_a_choice_on_a_board_beyond_the_engine_is_seen_at_once() -> None:
    units = {"Ann": [{"might": 10**9}] * 1000, "Bo": [{"might": 10**9 + i} for i in range(600)]}
    readings = {"must_kill": "yes", "undamageable": "optional"}
    found = course(read_situation(situation(site(units=units), readings=readings)))
    assert found.status == "open"


def test_the_only_legal_assignment_is_the_one_that_there_is() -> None:
    rng = random.Random(1)
    forced = 0
    for _ in range(500):
        board = read_board(random_board(rng))
        every = list(legal_ones(board))
        forced += len(every) == 1
        assert only_legal(board) == (every[0] if len(every) == 1 else None)
    assert 100 < forced < 400


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
    assert said(found, "cleanup_kill_3b") == ["A1 and D1 die together."]
    assert len(said(found, "combat_special_cleanup")) == 1
    assert order.index("cleanup_kill_3b") < order.index("cleanup_heal_3c")
    recalled = flow(site(units={"Ann": [{"might": 2}], "Bo": [{"might": 3, "stunned": True}]}),
                    attacker_assigns=[2], defender_assigns=[0])  # fmt: skip
    assert said(recalled, "cleanup_recall_3d") == ["A1 is recalled, since Defenders are there."]
    order = rules(recalled)
    assert order.index("cleanup_heal_3c") < order.index("cleanup_recall_3d")
    assert not said(recalled, "cleanup_kill_3b")


LATE = {"Ann": [{"might": 1}], "Bo": [{"might": 1}]}
RESULTS = [
    ("won", {"Ann": [{"might": 5}], "Bo": [{"might": 3}]}, {}, ["Ann wins", "Bo loses"]),
    ("lost", {"Ann": [{"might": 2}], "Bo": [{"might": 3}]}, {}, ["Bo wins", "Ann loses"]),
    ("none left", {"Ann": [{"might": 3}], "Bo": [{"might": 3}]}, {}, ["neither has units there"]),
    ("both there", {"Ann": [{"might": 3}], "Bo": [{"might": 3}]}, LATE, ["both have units there"]),
    ("recalled", {"Ann": [{"might": 0}], "Bo": [{"might": 0}]}, {}, ["Attackers were recalled"]),
    ("recalled", {"Ann": [{"might": 0}], "Bo": [{"might": 0}]}, LATE, ["Attackers were recalled"]),
]


@pytest.mark.parametrize(("name", "units", "late", "told"), RESULTS)
def test_the_result_is_won_lost_or_none(
    name: str, units: Json, late: Json, told: list[str]
) -> None:
    found = course(read_situation(situation(site(units=units, arrives_later=late))))
    results = ("result_win", "result_lose", "result_none")
    sentences = [step.text for step in found.steps if step.rule in results]
    assert len(sentences) == len(told)
    assert all(part in sentence for part, sentence in zip(told, sentences, strict=True))


@pytest.mark.parametrize("key", EDITIONS)
def test_late_arrivals_on_both_sides_stage_it_again(key: str) -> None:
    found = course(read_situation(situation(site(arrives_later=LATE), edition=key)))
    assert found.status == "restaged"
    staged = "A Combat is" if key == "460" else "A Showdown and a Combat are"
    assert said(found, "result_restage") == [f"{staged} staged again at Grove."]
    assert said(found, "combat_result") == ["A2 is there by now.", "D2 is there by now."]
    for rule in ("establish_control", "uncontrolled_if_empty", "clear_contested"):
        assert not said(found, rule)


@pytest.mark.parametrize(
    ("controller", "told", "control"),
    [
        ("Cy", "Grove stays under the control of Cy.", "other"),
        ("Bo", "Grove stays under the control of Bo.", "defender"),
        (None, "Grove stays uncontrolled.", "uncontrolled"),
    ],
)
def test_staged_again_control_stays_as_it_was(
    controller: str | None, told: str, control: str
) -> None:
    on = site(arrives_later=LATE, controller=controller)
    found = course(read_situation(situation(on)))
    assert said(found, "contested_control_frozen") == [told]
    assert found.controller == controller
    assert found.outcome is not None
    assert found.outcome.control == control
    assert flow_as_data(found)["controller"] == controller


def test_several_late_arrivals_are_there() -> None:
    late = {"Bo": [{"might": 1}, {"might": 1}]}
    found = course(read_situation(situation(site(arrives_later=late))))
    assert said(found, "combat_result") == ["D2 and D3 are there by now."]


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
    assert found.controller == "Ann"
    assert bool(said(found, rule)) == told
    assert said(found, "clear_contested")


def test_nobody_left_means_nobody_in_control() -> None:
    even = site(units={"Ann": [{"might": 3}], "Bo": [{"might": 3}]})
    found = course(read_situation(situation(even)))
    assert said(found, "uncontrolled_if_empty") == ["Nobody controls Grove."]


def test_it_ends_with_everything_that_lasted_for_it() -> None:
    found = course(read_situation(situation(end_of_combat=["draw 1"])))
    assert [step.text for step in found.steps[-4:]] == [
        "The Combat ends.",
        "Nobody is Attacker or Defender any more.",
        "At the end of the Combat: draw 1.",
        'What lasts for "this combat" is over.',
    ]


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


def test_amounts_are_told_in_the_right_number() -> None:
    ones = site(units={"Ann": [{"might": 1}], "Bo": [{"might": 1}, {"might": 2}]})
    found = flow(ones)
    assert said(found, "sum_attackers") == ["Ann has A1 1 = 1 point."]
    assert said(found, "assign_total")[0] == "Ann is to assign 1 point among D1 and D2."


def test_of_many_units_the_tail_is_counted() -> None:
    found = flow(site(units={"Ann": [{"might": 2}] * 20, "Bo": [{"might": 3}]}))
    assert said(found, "sum_attackers")[0].endswith("A11 2 + 9 more 18 = 40 points.")


def test_a_bare_number_of_points_too_large_is_refused_at_the_units() -> None:
    huge = {"Ann": [{"might": 10**18}] * 2, "Bo": [{"might": 1}]}
    with pytest.raises(BadRequest) as refused:
        flow(MILL, site(units=huge), pick="Grove")
    assert (refused.value.path, refused.value.code) == ("$.battlefields[1].units.Ann", "limit")


def test_what_is_odd_and_how_it_is_read_is_told() -> None:
    units = {"Ann": [{"might": 5}], "Bo": [{"might": 3, "marked": 3}]}
    found = flow(site(units=units), readings={"already_lethal": "one"})
    assert found.readings == {"already_lethal": "one"}
    assert [note[:34] for note in found.warnings] == ["D1 already has lethal damage: 3 ma"]
    assert flow_as_data(found)["warnings"] == found.warnings
    plain = flow_as_data(flow())
    assert "warnings" not in plain
    assert "readings" not in plain


def test_assignments_to_a_combat_that_does_not_open_are_told_of() -> None:
    found = flow(chain_empty=False, attacker_assigns=[5])
    assert found.warnings == ("the assignments given are not used, as no Combat opens",)


@pytest.mark.parametrize("key", EDITIONS)
def test_a_unit_that_cannot_be_dealt_damage_alone_takes_it_all(key: str) -> None:
    units = {"Ann": [{"might": 3}], "Bo": [{"might": 2, "undamageable": True}]}
    found = course(read_situation(situation(site(units=units), edition=key)))
    assert said(found, "assign_total")[0] == "Ann assigns D1 3 (cannot be dealt damage)."
    assert said(found, "deal_assigned") == ["Dealt: A1 2."]
    assert said(found, "cleanup_recall_3d") == ["A1 is recalled, since Defenders are there."]


def test_four_players_of_whom_two_fight() -> None:
    players = ["Ann", "Bo", "Cy", "Dee"]
    pending = {player: ["x"] for player in players}
    found = flow(site(), players=players, turn_player="Dee", triggers=pending)
    assert found.invalid == {"Grove": ("Cy", "Dee")}
    assert said(found, "combat_invalid_play") == ["Cy and Dee cannot play units to Grove."]
    assert found.chain is not None
    assert found.chain.first == (("Ann: x", "Dee: x", "Cy: x", "Bo: x"),)


def test_units_that_come_late_count_on_where_those_with_names_end() -> None:
    named = {"Ann": [{"might": 5, "name": "Scout"}], "Bo": [{"might": 3, "name": "Guard"}]}
    late = {"Ann": [{"might": 1}, {"might": 1}], "Bo": [{"might": 1}]}
    found = flow(site(units=named, arrives_later=late), attacker_assigns=[5], defender_assigns=[3])
    assert said(found, "combat_result") == ["A2 and A3 are there by now.", "D2 is there by now."]


def test_a_situation_goes_up_to_its_limits() -> None:
    half = ("x" * 500,) * 5_000
    table = Situation(
        players=tuple(f"P{i}" for i in range(10_000)),
        battlefields=tuple(Battlefield(name=f"B{i}") for i in range(1_000)),
        triggers={"P0": half, "P1": half},
        start_of_combat=("x",) * 10_000,
    )
    assert sum(map(len, table.triggers.values())) == 10_000
    most = tuple(Unit(might=1) for _ in range(500))
    held = Battlefield(
        name="Grove",
        units={"Ann": most, "Bo": most},
        contested_by="Ann",
        arrives_later={"Ann": most},
    )
    assert held.arrives_later["Ann"][-1].name == "A1000"


COURSES = (Path(__file__).parent / "courses.txt").read_text(encoding="utf-8").split("\n\n")
"""Situations, and below each what is said of its course: of the first all, of the others what is
left out and what is said besides."""


def told(found: Flow) -> Iterator[str]:
    """Yield the steps, the warnings, the question of the damage step, and the other fields."""
    for step in found.steps:
        yield f"{step.number} {step.rule}: {step.text}"
    for warning in found.warnings:
        yield f"! {warning}"
    if found.combat is not None:
        arrivals = found.combat.arrivals
        late = [(unit.name, unit.might) for unit in (*arrivals.attackers, *arrivals.defenders)]
        bare = {"arrivals": Arrivals(), "attacker_assigns": None, "defender_assigns": None}
        yield f"? {write(msgspec.structs.replace(found.combat, **bare))} {late}"
    for field, value in msgspec.to_builtins(found).items():
        if value and field not in ("steps", "warnings", "combat"):
            yield f"{field}: {json.dumps(value)}"


PLAIN = COURSES[0].split("\n")[1:]


def besides(found: Flow) -> list[str]:
    """What is not said of it that is said of the first course, and what is said besides."""
    lines = list(told(found))
    left_out = ", ".join(line.partition(":")[0] for line in PLAIN if line not in lines)
    return [f"without {left_out or 'nothing'}", *(line for line in lines if line not in PLAIN)]


def test_the_first_course_is_told_word_for_word() -> None:
    assert list(told(flow())) == PLAIN


@pytest.mark.parametrize("course", COURSES[1:], ids=lambda course: course.split("\n")[0][:60])
def test_a_course_is_told_word_for_word(course: str) -> None:
    asked, *lines = course.strip().split("\n")
    assert besides(flow_of(asked)) == lines


NAMED = {"Ann": [{"might": 1, "name": "X"}], "Bo": [{"might": 1}]}
NO_NAME = {"Ann": [{"might": 1, "name": ""}], "Bo": [{"might": 1}]}
FAR = "x" * 501
BAD = [
    ("unknown player", {"focus": "Dee"}, {}, "$.focus"),
    ("unknown site", {"pick": "Peak"}, {}, "$.pick"),
    ("unknown site under way", {"under_way": "Peak"}, {}, "$.under_way"),
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
    ("a key like the decoder's dots", {"triggers": {"[...]": [1]}}, {}, "$.triggers.[...][0]"),
    ("a key of two lines", {"triggers": {"x\ny": [1]}}, {}, "$.triggers.'x\\ny'[0]"),
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


def lethal(*arguments: str, columns: int = 80) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "solver", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "COLUMNS": str(columns)},
    )


@pytest.fixture
def file(tmp_path: Path) -> Callable[[Json], str]:
    """Writes a situation to a file, and has its name."""

    def write(asked: Json) -> str:
        path = tmp_path / "table.json"
        path.write_text(json.dumps(asked), encoding="utf-8")
        return str(path)

    return write


def test_the_command_reads_a_file_and_answers_in_text_or_json(file: Callable[[Json], str]) -> None:
    name = file(situation())
    text = lethal("flow", name).stdout
    assert "464.2.c.1 (466.2.c.1)" in text
    assert text.endswith("The Combat is over.\n")
    older = lethal("flow", name, "--edition", "460").stdout
    assert "459.2.b.1 (466.2.c.1)" in older
    assert older.endswith("The Combat is over.\nEdition 460.\n")
    data = json.loads(lethal("flow", name, "--json").stdout)
    assert data["status"] == "over"
    assert data["steps"][0]["rule"] == "combat_staged"
    assert data["outcome"]["conquer"] is True
    assert data["controller"] == "Ann"


def test_the_file_of_the_help_is_of_use(tmp_path: Path) -> None:
    told = lethal("flow", "--help").stdout.partition("in TOML:")[2].partition("The README")[0]
    path = tmp_path / "table.toml"
    path.write_text(told, encoding="utf-8")
    assert lethal("flow", str(path)).stdout.endswith("The Combat is over.\n")


def test_an_illegal_assignment_is_answered_by_its_rules(file: Callable[[Json], str]) -> None:
    asked = situation(site(units=TWO), attacker_assigns=[4, 1], defender_assigns=[2])
    done = lethal("flow", file(asked))
    assert done.returncode == 1
    assert done.stdout.endswith(
        "What Ann assigns is illegal: 465.2.c.4 (467.2.c.4). What Bo assigns is illegal:\n"
        "465.2.c (467.2.c).\n"
    )
    data = json.loads(lethal("flow", file(asked), "--json").stdout)
    assert data["status"] == "illegal"
    assert [(v["by"], v["rule"]) for v in data["violations"]] == [
        ("attacker", "no_over_assignment"),
        ("defender", "assign_total"),
    ]


def test_readings_and_notes_stand_below_the_steps(file: Callable[[Json], str]) -> None:
    units = {"Ann": [{"might": 5}], "Bo": [{"might": 3, "marked": 3}]}
    text = lethal("flow", file(situation(site(units=units))), "--reading", "must_kill=yes").stdout
    assert "Readings not at their default: must_kill=yes.\nNote: D1 already has" in text


def test_what_a_player_ignores_is_told(file: Callable[[Json], str]) -> None:
    asked = situation(assigners={"Bo": {"ignores": ["tank"]}})
    assert "The Defender ignores Tank (766)." in lethal("flow", file(asked)).stdout


def test_orders_of_the_chain_are_wrapped_beside_their_number(file: Callable[[Json], str]) -> None:
    pending = {"Ann": ["a rather long trigger", "another of some length", "a third one of Ann"]}
    text = lethal("flow", file(situation(triggers=pending))).stdout
    assert (
        "Orders of the chain:\n"
        "1.  Ann: a rather long trigger, Ann: another of some length, Ann: a third one of\n"
        "    Ann\n"
        "2.  Ann"
    ) in text
    longer = {"Ann": ["a", "b", "c", "d"]}
    assert "chain, the first 6:" in lethal("flow", file(situation(triggers=longer))).stdout


def test_on_a_narrow_terminal_a_step_stands_below_its_number(file: Callable[[Json], str]) -> None:
    text = lethal("flow", file(situation()), columns=40).stdout
    assert (
        "464.2.c.1 (466.2.c.1)\n  Ann is the Attacker, whose units\n  applied Contested.\n464.2.c.2"
    ) in text
    smallest = lethal("flow", file(situation()), columns=20).stdout
    assert max(map(len, smallest.splitlines())) <= 20


README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("noun", [Situation, Battlefield, Flow], ids=lambda noun: noun.__name__)
def test_the_readme_has_every_field(noun: type[msgspec.Struct]) -> None:
    told = README.partition("## From staged to over")[2].partition("\n## ")[0]
    assert [name for name in noun.__struct_fields__ if f"`{name}`" not in told] == []


def test_the_readme_has_every_status() -> None:
    assert [status for status in get_args(Status) if f"`{status}`" not in README] == []


@pytest.mark.parametrize("units", [{}, {"Bo": [{"might": 3}]}, {"Ann": [], "Bo": [{"might": 3}]}])
def test_a_combat_under_way_is_closed_to_others_also_once_a_side_is_gone(units: Json) -> None:
    on = site(units=units, contested_by="Ann" if units else None)
    found = flow(on, under_way="Grove")
    if not units:
        assert "who cannot go there" in found.warnings[0]
        return
    assert found.invalid == {"Grove": ("Cy",)}
    assert said(found, "combat_invalid_destination") == [
        "For Cy, Grove is no valid destination to move units to."
    ]


def test_why_lethal_and_dead_are_two_things_is_told_by_its_cause() -> None:
    marked = site(units={"Ann": [{"might": 4}], "Bo": [{"might": 2, "marked": 2}, {"might": 3}]})
    found = flow(marked, readings={"already_lethal": "one"})
    assert "(reading already_lethal=one)" in said(found, "might_kill_check")[0]
    assert not said(found, "lethal_cleanup_meaning")
    both = site(
        units={
            "Ann": [{"might": 4}],
            "Bo": [{"might": 2, "replacements": ["prevent 2", "double"]}],
        }
    )
    assert said(flow(both, edition="460"), "lethal_cleanup_meaning") == [
        "D1 counts as lethal with 4 points but dies of 3: in this edition Double counts only when "
        "damage is dealt."
    ]
    assert said(flow(both, edition="443"), "lethal_cleanup_meaning") == [
        "D1 counts as lethal with 2 points but dies of 3: in this edition its replacements count "
        "only when damage is dealt."
    ]


def test_a_unit_that_is_skipped_is_said_to_be() -> None:
    skipped: Json = {"might": 3, "undamageable": True}
    on = site(units={"Ann": [{"might": 3}], "Bo": [skipped, {"might": 2}, {"might": 2}]})
    found = flow(on)
    assert said(found, "undamageable_exempt") == ["D1 cannot be dealt damage and is skipped."]
    assert said(found, "assign_total")[0] == "Ann is to assign 3 points among D2 and D3."
    free = flow(on, readings={"undamageable": "optional"})
    assert said(free, "assign_total")[0] == "Ann is to assign 3 points among D1, D2 and D3."


def test_the_order_that_keywords_ask_for_is_said_before_anybody_assigns() -> None:
    units: list[Json] = [
        {"might": 3, "tank": True},
        {"might": 2, "backline": True},
        {"might": 2, "tank": True, "backline": True},
    ]
    on = site(units={"Ann": [{"might": 6}], "Bo": units})
    found = flow(on)
    assert said(found, "lethal_in_full_before_next") == [
        "Each of D1, D2 and D3 is given lethal damage in full before the next is given any."
    ]
    assert said(found, "tank_first") == ["D1 comes first (Tank)."]
    assert said(found, "backline_last") == ["D2 comes last (Backline)."]
    assert said(flow(on, edition="443"), "obey_requirements") == ["D2 comes last (Backline)."]
    assert len(said(found, "exclusionary_choose_one")) == 1


def test_where_the_attacker_gains_focus_in_a_running_showdown_the_task_is_cited() -> None:
    found = flow(showdown="Grove", focus="Bo", edition="460")
    assert len(said(found, "focus_task")) == 1
    assert not said(found, "focus_new_showdown")
