"""Numbers to rules and back, in every edition, with help for moved and unknown numbers."""

from __future__ import annotations

import pytest

from rules import EDITIONS, BadRequest, edition, find
from rules.editions import PUBLISHED, TABLE
from rules.readings import ABOUT, SWITCHES
from rules.rulebook import look_up, moved


@pytest.mark.parametrize("key", EDITIONS)
def test_every_recorded_number_finds_its_rule_in_its_edition(key: str) -> None:
    for slug in TABLE:
        number = EDITIONS[key].number(slug)
        if number is not None:
            assert find(number, key).slug == slug


def test_every_rule_is_found_by_its_id() -> None:
    for slug in TABLE:
        assert find(slug).slug == slug


ONE_RULE = [("460.2.c.6", "460"), ("443.1.d.6", "443"), ("465.2.c.7", "465"), ("467.2.c.7", "467")]


@pytest.mark.parametrize(("number", "key"), ONE_RULE)
@pytest.mark.parametrize("used", EDITIONS)
def test_old_and_new_numbers_of_one_rule_find_it_from_any_edition(
    number: str, key: str, used: str
) -> None:
    assert find(number, used).slug == "same_priority_any_order"
    assert look_up(number, used).edition == key


SPELLED = [" 465.2.c.4 ", "465.2.C.4", "465.2.c.4.", "(465.2.c.4)", "NO_OVER_ASSIGNMENT"]


@pytest.mark.parametrize("text", SPELLED)
def test_numbers_may_be_spelled_loosely(text: str) -> None:
    assert find(text).slug == "no_over_assignment"


def test_a_moved_number_is_told_with_its_lookalike() -> None:
    found = look_up("460.2.c.5")
    assert moved(found, edition("465")) == (
        "460.2.c.5 is 465.2.c.6 in 465; "
        "465.2.c.5 is another rule (replacements_apply_to_assignment)"
    )


def test_a_number_of_the_edition_in_use_is_not_moved() -> None:
    assert moved(look_up("465.2.c.5"), edition("465")) is None
    assert moved(look_up("tank_first"), edition("439")) is None


def test_a_number_of_a_rule_that_the_edition_lacks_says_so() -> None:
    found = look_up("826.3", "443")
    assert found.rule.slug == "backline_last"
    assert "443 does not have" in str(moved(found, edition("443")))


def test_an_ambiguous_number_means_the_edition_in_use_then_the_newest() -> None:
    assert find("465", "465").slug == "damage_step"
    assert find("465", "460").slug == "score_once_per_turn"
    assert {k: r.slug for k, r in look_up("465").elsewhere.items()} == {
        "460": "score_once_per_turn"
    }
    assert find("466", "465").slug == "resolution_step"
    assert find("466", "467").slug == "showdown_step"


UNKNOWN = [("465.2.c.44", "465.2.c.4"), ("815.1.z", "815.1.b"), ("465.2.d.9", "465.2.d")]


@pytest.mark.parametrize(("number", "near"), UNKNOWN)
def test_an_unknown_number_gets_the_nearest_ones(number: str, near: str) -> None:
    with pytest.raises(BadRequest, match=f"nearest are .*{near}"):
        find(number)


@pytest.mark.parametrize("text", ["tank_frist", "", "nonsense", "999", "1.1.1.1.1", "465.2.c.4 x"])
def test_what_is_no_rule_is_refused_in_one_sentence(text: str) -> None:
    with pytest.raises(BadRequest) as refused:
        find(text)
    assert "\n" not in str(refused.value)


CITED = [
    ("465", "no_over_assignment", "465.2.c.4 (467.2.c.4)"),
    ("465", "tank_first", "815.1.b"),
    ("465", "replacements_apply_to_assignment", "465.2.c.5 (467.2.c.5?)"),
    ("465", "prevent_all_never_lethal", "437.5.b"),
    ("467", "no_over_assignment", "467.2.c.4"),
    ("467", "replacements_apply_to_assignment", "467.2.c.5?"),
    ("443", "obey_requirements", "443.1.d.5 (467.2.c.6)"),
    ("443", "might_kill_check", "143.2.a in 465"),
]


@pytest.mark.parametrize(("key", "slug", "cited"), CITED)
def test_a_citation_has_the_number_in_use_and_where_it_differs_the_newest(
    key: str, slug: str, cited: str
) -> None:
    assert edition(key).cite(slug) == cited


def test_editions_differ_in_the_rules_they_have() -> None:
    lacking = {key: sorted(within.lacks) for key, within in EDITIONS.items()}
    assert lacking["465"] == lacking["467"] == []
    assert lacking["460"] == [
        "focus_existing_showdown",
        "min_applied_when_increased",
        "replacement_order_by_controller",
        "replacements_apply_to_assignment",
        "restage_showdown",
    ]
    assert lacking["439"] == lacking["443"]
    assert {"backline_last", "prevent_all_never_lethal"} <= set(lacking["443"])


def test_every_edition_has_a_date_and_they_follow_one_another() -> None:
    assert list(PUBLISHED) == list(EDITIONS)
    dates = [published.effective for published in PUBLISHED.values()]
    assert dates == sorted(dates)


def test_every_reading_has_a_question_and_rules_that_exist() -> None:
    assert list(ABOUT) == list(SWITCHES)
    for about in ABOUT.values():
        assert about.question.endswith("?")
        assert set(about.rules) <= TABLE.keys()


@pytest.mark.parametrize("key", ["466", "v1.4", "", "46"])
def test_an_unknown_edition_is_refused_with_those_that_exist(key: str) -> None:
    with pytest.raises(BadRequest, match="439, 443, 460, 465, 467") as refused:
        edition(key)
    assert refused.value.code == "unknown_edition"
