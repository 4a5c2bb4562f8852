"""Numbers to rules and back, in every edition, with help for moved and unknown numbers."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from rules import EDITIONS, BadRequest, Edition, edition, editions, find
from rules.editions import PUBLISHED, TABLE, is_inferred
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


MOVED = [
    ("460.2.c.5", "465", "460.2.c.5 is 465.2.c.6 in 465; 465.2.c.5 is another rule "
                         "(replacements_apply_to_assignment)"),
    ("460.2.c.5", "443", "460.2.c.5 is 443.1.d.5 in 443"),
    ("439.1.d.4", "460", "439.1.d.4 is 460.2.c.4 in 460"),
    ("467.2.c.7", "465", "467.2.c.7 is 465.2.c.7 in 465"),
    ("467.2.c.10", "465", "467.2.c.10? is 465.2.c.10 in 465"),
    ("465.2.c.5", "443", "465.2.c.5 is a rule of 465 that 443 does not have"),
    ("323.5", "439", "323.5? is a number of 467; the one in 439 is not recorded"),
    ("465.2.c.5", "465", None),
    ("tank_first", "439", None),
]  # fmt: skip


@pytest.mark.parametrize(("number", "key", "sentence"), MOVED)
def test_where_a_number_of_another_edition_went_is_told(
    number: str, key: str, sentence: str | None
) -> None:
    assert moved(look_up(number, key), edition(key)) == sentence


def test_a_rule_is_found_with_what_is_printed_and_what_it_means_elsewhere() -> None:
    found = look_up("[467.2.c.10]", "443")
    assert (found.rule.slug, found.edition, found.printed) == (
        "undamageable_exempt", "467", "467.2.c.10?"
    )  # fmt: skip
    assert found.elsewhere == {}
    by_id = look_up("Tank_First", "439")
    assert (by_id.edition, by_id.printed, by_id.elsewhere) == ("439", "tank_first", {})


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
    ("460", "min_applied_when_increased", "465.2.c.4.a in 465"),
    ("460", "backline_last", "826.3"),
    ("465", "contested_control_frozen", "190.4.b"),
    ("465", "restage_showdown", "restage_showdown"),
]


@pytest.mark.parametrize(("key", "slug", "cited"), CITED)
def test_a_citation_has_the_number_in_use_and_where_it_differs_the_newest(
    key: str, slug: str, cited: str
) -> None:
    assert edition(key).cite(slug) == cited


def test_the_table_is_what_the_file_says() -> None:
    with (Path(editions.__file__).parent / "numbers.tsv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    keys, table = editions.read_table()
    assert keys == tuple(EDITIONS) == ("439", "443", "460", "465", "467")
    assert table == TABLE
    assert [
        {"slug": r.slug, "kind": r.kind, "title": r.title} | r.numbers for r in TABLE.values()
    ] == rows


@pytest.mark.parametrize("key", EDITIONS)
def test_an_edition_has_the_rules_of_its_column(key: str) -> None:
    within = Edition(key)
    assert (within.key, repr(within)) == (key, f"Edition('{key}')")
    for slug, row in TABLE.items():
        assert (slug in within) == (row.numbers[key] != "-") == (slug not in within.lacks)


def test_a_number_is_inferred_where_it_has_a_question_mark() -> None:
    assert [is_inferred(n) for n in ("467.2.c.5?", "467.2.c.4", "?.4", None)] == [
        True, False, False, False
    ]  # fmt: skip


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
