"""Settings are declared once: what is checked, and what editors are told, follows from a declaration."""

# Annotations are values here, as they are where settings are declared.

from dataclasses import asdict, dataclass
from typing import Annotated, Any, Literal

import jsonschema
import pytest

from memd.errors import BadSettingsError
from memd.formats.schemas import schema_of
from memd.formats.settings import CHECKS, checks_of, load_settings
from memd.model.settings import OF_A_ROLE, Declared, Form, Settings, Within, declared, tables

DECLARED = [pytest.param(name, one, id=f"{name}.{one.key}") for name, table, _ in tables() for one in declared(table)]


def wrong_for(one: Declared) -> list[Any]:
    """Return values that a setting may not have."""
    others: list[Any] = [None, [], {}, {"a": 1}]
    if one.choices:
        return [*others, "", "another", 1, True]
    if one.bounds:
        return [*others, "1", True, one.bounds.low - 1, one.bounds.high + 1, *([1.5] if one.kind is int else [])]
    return [*others, 1, "true"] if one.kind is bool else [*others, 1, True, *(["nowhere"] if one.form else [])]


def right_for(one: Declared) -> list[Any]:
    if one.bounds:
        return [one.default, *(map(one.kind, one.bounds))]
    return [one.default, *(one.choices or ([True, False] if one.kind is bool else ["", "+08:00"]))]


@pytest.mark.parametrize(("table", "one"), DECLARED)
def test_a_setting_is_what_it_is_declared_to_be(table: str, one: Declared) -> None:
    check = CHECKS[table][one.key]
    assert [value for value in right_for(one) if check(value)] == []
    assert [value for value in wrong_for(one) if not check(value)] == []
    validate = jsonschema.Draft7Validator(check.schema).is_valid
    assert all(map(validate, right_for(one)))
    told = [value for value in wrong_for(one) if value != "nowhere"]  # which time zones there are is no schema's
    assert not any(map(validate, told))
    assert asdict(Settings())[table][one.key] == one.default
    assert type(one.default) is one.kind
    assert "|" not in one.words
    assert "\n" not in one.words


def test_a_role_may_set_what_there_is() -> None:
    every = {name: {one.key for one in declared(table)} for name, table, _ in tables()}
    assert all(set(keys) <= every[name] for name, keys in OF_A_ROLE.items())


def test_a_new_setting_is_one_line() -> None:
    @dataclass(frozen=True, slots=True)
    class KilnSettings:
        """How hot it is."""

        shelves: Annotated[int, Within(1, 9), "how many there are"] = 3
        glaze: Annotated[Literal["salt", "ash"], "what is put on"] = "ash"
        zone: Annotated[str, Form.TIME_ZONE] = ""
        lit: bool = False

    table = KilnSettings
    assert [(one.key, one.default, one.words) for one in declared(table)] == [
        ("shelves", 3, "how many there are"),
        ("glaze", "ash", "what is put on"),
        ("zone", "", ""),
        ("lit", False, ""),
    ]
    checks = checks_of(table)
    assert checks["shelves"](10) == "must be from 1 to 9"
    assert checks["shelves"](1.5) == "must be a whole number"
    assert checks["glaze"]("lead") == "must be one of salt, ash"
    assert "neither a time zone" in checks["zone"]("nowhere")
    assert checks["lit"](1) == "must be true or false"


def test_an_editor_is_told_of_every_setting() -> None:
    told = schema_of("settings")["properties"]
    for name, table, about in tables():
        assert told[name]["description"] == about
        for one in declared(table):
            assert told[name]["properties"][one.key].get("description", "") == one.words
    assert set(schema_of("role")["properties"]["limits"]["properties"]) == set(OF_A_ROLE["limits"])


def test_all_faults_are_told_with_their_lines() -> None:
    text = "[trigger]\nscan_messages = 0\nzone = 'nowhere'\n\n[gate]\nkeep_form = 7\nsecrets = 'keep'\n"
    with pytest.raises(BadSettingsError) as caught:
        load_settings(text.encode(), "memd.toml")
    assert [(fault.line, fault.why) for fault in caught.value.faults] == [
        (2, "trigger.scan_messages must be from 1 to 1000"),
        (3, "trigger.zone 'nowhere' is neither a time zone's name nor an offset such as +08:00"),
        (6, "gate.keep_form is unknown; did you mean 'keep_from'?"),
        (7, "gate.secrets must be one of redact, refuse"),
    ]
