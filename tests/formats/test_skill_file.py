"""SKILL.md: what is written is read the same by everyone, what is wrong is told with its line, what is set stays alone.

The oracle is the specification's own validator (PyPI skills-ref); without it those tests are skipped.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from memd.errors import RejectedFileError
from memd.formats.front_matter import split
from memd.formats.skill_file import dump_skill, load_skill, skill_faults, with_metadata
from memd.model.tasks import SkillText

FOLDER = "pdf-forms"
HEAD = "name: pdf-forms\ndescription: Fill in PDF forms. Use it when a form is a PDF.\n"
BODY = "# Steps\n\n1. Open it.\n"
HARD = (
    "填写表单：先看字段，再填。", 'say "hello" \\ and go', "when: always", "a # b", "- item", "--- a --- b ----", "yes",
    "01234", "null", "~", "😀👩‍💻", "a\tb\nc\r\nd", " blanks around ", "@x", "%x", "{a: b}", "[a]", "*a", "&a", "!a", "'q'",
    "a\x00\x07\x7f\x85\u2028\ufeff\ufffeb", "x" * 1024, "长" * 400, "...", "<<", "", "1e5", "0x1F", "2026-11-21",
    "no", "on", "off", "y", "n", "Y", "N", "True", "false", "NULL", "On", "OFF", "No",
)  # fmt: skip

texts = st.one_of(st.text(max_size=60), st.sampled_from(HARD), st.text("填写-:# \"'\\\n{}[]é", max_size=30))
skills = st.builds(
    SkillText,
    name=texts,
    description=texts,
    body=texts,
    metadata=st.dictionaries(texts.map(lambda key: key[:60]), texts, max_size=4).map(lambda one: tuple(one.items())),
    license=texts,
    compatibility=texts,
    allowed_tools=texts,
)


def skill(head: str = HEAD, body: str = BODY) -> str:
    return f"---\n{head}---\n\n{body}"


def header_of(one: SkillText) -> dict[str, Any]:
    """What every reader of the header should come to."""
    rest = {
        "license": one.license,
        "compatibility": one.compatibility,
        "metadata": dict(one.metadata),
        "allowed-tools": one.allowed_tools,
    }
    return {"name": one.name, "description": one.description, **{key: value for key, value in rest.items() if value}}


def test_a_skill_as_it_is_written() -> None:
    one = SkillText(
        name="pdf-forms",
        description="Fill in forms: 表单",
        body="\n# Steps\n\n1. Open it.\n",
        metadata=(("memd-version", "2"), ("备注", "yes")),
        license="Apache-2.0",
        allowed_tools="Bash(git:*) Read",
    )
    assert dump_skill(one) == (
        '---\nname: pdf-forms\ndescription: "Fill in forms: 表单"\nlicense: Apache-2.0\n'
        'metadata:\n  memd-version: "2"\n  "备注": "yes"\nallowed-tools: "Bash(git:*) Read"\n---\n\n'
        "# Steps\n\n1. Open it.\n"
    )


@pytest.mark.parametrize("word", HARD)
def test_a_hard_word_is_the_same_to_everyone(word: str) -> None:
    one = SkillText(FOLDER, word, "x", ((word[:100], word),))
    text = dump_skill(one)
    assert load_skill(text, "SKILL.md") == (one, ())
    assert yaml.safe_load(text.split("---")[1]) == header_of(one)


@given(skills)
def test_what_is_dumped_is_loaded(one: SkillText) -> None:
    text = dump_skill(one)
    assert text.count("---") - one.body.strip("\r\n").count("---") == 2, "the fences alone"
    loaded, faults = load_skill(text, "SKILL.md")
    assert loaded == SkillText(
        one.name,
        one.description,
        one.body.strip("\r\n"),
        one.metadata,
        one.license,
        one.compatibility,
        one.allowed_tools,
    )
    assert faults == ()
    assert dump_skill(loaded) == text


@given(skills)
def test_pyyaml_reads_the_same(one: SkillText) -> None:
    source = dump_skill(one).split("---")[1]
    assert yaml.safe_load(source) == header_of(one)


@given(skills)
@example(SkillText(FOLDER, "长" * 1024, "x", tuple((word[:100], word) for word in HARD)))
def test_strictyaml_reads_the_same(one: SkillText) -> None:
    strict = pytest.importorskip("strictyaml")
    assert strict.load(dump_skill(one).split("---")[1]).data == header_of(one)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_all_kinds_of_values_are_texts(end: str) -> None:
    text = skill(
        "name: 0123\ndescription: >-\n  two\n  lines\nlicense: yes\nmetadata: # ours\n  a: 1.0\n  b:\n"
        "allowed-tools:\n  - Read\n  - Write\n"
    ).replace("\n", end)
    body = BODY.rstrip().replace("\n", end)
    expected = SkillText("0123", "two lines", body, (("a", "1.0"), ("b", "")), "yes", "", "Read Write")
    assert load_skill(text, "SKILL.md") == (expected, ())


@pytest.mark.parametrize(
    ("head", "kept", "found"),
    [
        pytest.param("name: [a]\nlicense: MIT\n", SkillText("", "", "x", license="MIT"), "skill.key", id="a list"),
        pytest.param(
            "metadata:\n  a: b\n  c:\n    d: e\n", SkillText("", "", "x", (("a", "b"),)), "skill.key", id="nested"
        ),
        pytest.param("name: a\nversion: 2\n", SkillText("a", "", "x"), "skill.key", id="an unknown key"),
        pytest.param("name: a: b\n", SkillText("", "", "x"), "yaml.syntax", id="no YAML"),
        pytest.param("name: a\nname: b\n", SkillText("b", "", "x"), "yaml.twice", id="a key twice"),
    ],
)
def test_what_can_be_read_is_read(head: str, kept: SkillText, found: str) -> None:
    loaded, faults = load_skill(skill(head, "x\n"), "SKILL.md")
    assert loaded == kept
    assert [fault.code for fault in faults] == [found]


def test_without_front_matter_all_is_body() -> None:
    loaded, faults = load_skill("# Steps\n", "s/SKILL.md")
    assert loaded == SkillText("", "", "# Steps")
    assert [str(fault) for fault in faults] == [
        "s/SKILL.md:1:1: skill.header no front matter: a skill begins with `---`, its keys, and `---`"
    ]


class Case(NamedTuple):
    """A file, what is found in it (code and line), and whether the specification's validator objects as well."""

    text: str
    found: list[tuple[str, int]]
    is_theirs: bool
    folder: str = FOLDER


def head(changes: str = "", *, name: str = "pdf-forms", description: str = "Fill in.") -> str:
    return skill(f"name: {name}\ndescription: {description}\n{changes}")


CASES = {
    "a good one": Case(skill(), [], False),
    "every key": Case(
        head('license: MIT\ncompatibility: git\nmetadata:\n  a: "1"\nallowed-tools: Read Bash(git:*)\n'), [], False
    ),
    "tools as a list": Case(head("allowed-tools:\n  - Read\n  - Bash\n"), [], False),
    "comments and blank lines": Case(head("\n# why\nlicense: MIT # yes\n"), [], False),
    "metadata empty": Case(head("metadata:\n"), [], False),
    "CR LF": Case(skill().replace("\n", "\r\n"), [], False),
    "no front matter": Case("# Steps\n", [("skill.header", 1)], True),
    "an empty file": Case("", [("skill.header", 1), ("skill.empty", 1)], True),
    "no end": Case("---\nname: pdf-forms\n", [("yaml.unclosed", 1)], True),
    "an empty header": Case(skill(""), [("skill.name", 1), ("skill.description", 1)], True),
    "no YAML": Case(head("license: a: b\n"), [("yaml.syntax", 4)], True),
    "a list for a header": Case(skill("- a\n"), [("yaml.not_a_mapping", 2)], True),
    "an anchor": Case(head("license: &a MIT\n"), [("yaml.alias", 4)], True),
    "a tag": Case(head("license: !!str MIT\n"), [("yaml.tag", 4)], True),
    "a key twice": Case(head("license: a\nlicense: b\n"), [("yaml.twice", 5)], True),
    "a mark before": Case("\ufeff" + skill(), [("skill.header", 1)], True),
    "an end of dots": Case(f"---\n{HEAD}...\n{BODY}", [("skill.header", 4)], True),
    "three hyphens in quotes": Case(head('license: "a --- b"\n'), [("skill.header", 4)], True),
    "a tab": Case(head("license: M\tIT\n"), [("skill.header", 4)], True),
    "a merge": Case(head("metadata:\n  <<: x\n"), [("skill.header", 5)], True),
    "no name": Case(skill("description: x\n"), [("skill.name", 1)], True),
    "a blank name": Case(head(name='" "'), [("skill.name", 2)], True),
    "a capital": Case(head(name="Pdf-forms"), [("skill.name", 2)] * 2, True),
    "an underscore": Case(head(name="pdf_forms"), [("skill.name", 2)] * 2, True),
    "two hyphens": Case(head(name="pdf--forms"), [("skill.name", 2)] * 2, True),
    "a hyphen at the end": Case(head(name="pdf-forms-"), [("skill.name", 2)] * 2, True),
    "a long name": Case(head(name="a" * 65), [("skill.name", 2)] * 2, True),
    "the longest name": Case(head(name="a" * 64), [("skill.name", 2)], True),
    "another folder": Case(head(name="pdf"), [("skill.name", 2)], True),
    "a name of two lines": Case(head(name="\n  - a"), [("skill.key", 2)], True),
    "no description": Case(skill("name: pdf-forms\n"), [("skill.description", 1)], True),
    "a blank description": Case(head(description='"  "'), [("skill.description", 3)], True),
    "a long description": Case(head(description="长" * 1025), [("skill.description", 3)], True),
    "the longest description": Case(head(description="长" * 1024), [], False),
    "a description that is a list": Case(head(description="\n  - a"), [("skill.key", 3)], True),
    "an unknown key": Case(head("version: 2\n"), [("skill.key", 4)], True),
    "two unknown keys": Case(head("version: 2\nauthor: x\n"), [("skill.key", 4), ("skill.key", 5)], True),
    "long compatibility": Case(head(f"compatibility: {'x' * 501}\n"), [("skill.compatibility", 4)], True),
    "the longest compatibility": Case(head(f"compatibility: {'x' * 500}\n"), [], False),
    "compatibility nested": Case(head("compatibility:\n  a: b\n"), [("skill.key", 4)], True),
    "metadata in braces": Case(head("metadata: {a: b}\n"), [("skill.key", 4)], True),
    "tools in brackets": Case(head("allowed-tools: [Read]\n"), [("skill.key", 4)], True),
    "all in braces": Case(skill("{name: pdf-forms, description: x}\n"), [("skill.header", 1)], True),
    "all at once": Case(
        skill("name: PDF\nversion: 2\nlicense:\n  - a\n", " \n"),
        [
            ("skill.description", 1),
            *[("skill.name", 2)] * 2,
            *[("skill.key", 3), ("skill.key", 4)],
            ("skill.empty", 7),
        ],
        True,
    ),
    # From here on memd is stricter than the validator.
    "a name outside ASCII": Case(head(name="pdf-表单"), [("skill.name", 2)], False, "pdf-表单"),
    "blanks around the name": Case(head(name='" pdf-forms "'), [("skill.name", 2)] * 2, False),
    "no body": Case(f"---\n{HEAD}---\n", [("skill.empty", 5)], False),
    "a long body": Case(skill(body="x\n" * 501), [("skill.size", 5)], False),
    "the longest body": Case(skill(body="x\n" * 500), [], False),
    "a large file": Case(skill(body="x" * 100_000), [("skill.size", 5)], False),
    "a large header": Case(head(f"# {'x' * 17_000}\n"), [("yaml.too_large", 2)], False),
    "a license that is a list": Case(head("license:\n  - a\n"), [("skill.key", 4)], False),
    "metadata that is a text": Case(head("metadata: x\n"), [("skill.key", 4)], False),
    "metadata that is a list": Case(head("metadata:\n  - a\n"), [("skill.key", 4)], False),
    "metadata nested": Case(head("metadata:\n  a:\n    b: c\n"), [("skill.key", 4)], False),
    "tools nested": Case(head("allowed-tools:\n  - a: b\n"), [("skill.key", 4)], False),
    "three hyphens in a text": Case(head("license: a---b\n"), [("skill.header", 4)], False),
    "a tab in quotes": Case(head('license: "a\tb"\n'), [("skill.header", 4)], False),
    "a truth value for a key": Case(head("metadata:\n  on: x\n"), [("yaml.truth", 5)], False),
}
cases = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


@cases
def test_rule(case: Case) -> None:
    faults = skill_faults(case.text, case.folder, "SKILL.md")
    assert [(fault.code, fault.line) for fault in faults] == case.found, faults
    assert {fault.name for fault in faults} <= {"SKILL.md"}


def test_a_fault_says_where_and_why() -> None:
    text = skill("  name: PDF\n  version: 2\n  description: x\n")
    name, key = skill_faults(text, "PDF", "skills/PDF/SKILL.md")
    assert str(name).startswith("skills/PDF/SKILL.md:2:3: skill.name 'PDF' is not 1 to 64 lower case letters")
    assert str(key).startswith("skills/PDF/SKILL.md:3:3: skill.key 'version' is none of the keys name, description,")


@cases
def test_the_validator_agrees(case: Case, tmp_path: Path) -> None:
    validator = pytest.importorskip("skills_ref.validator")
    folder = tmp_path / case.folder
    folder.mkdir()
    (folder / "SKILL.md").write_bytes(case.text.encode())
    try:
        theirs = validator.validate(folder)
    except Exception as error:  # it lets some errors of its YAML reader through
        theirs = [str(error)]
    assert bool(theirs) == case.is_theirs, theirs
    assert case.found or not theirs


@given(st.builds(dump_skill, skills))
def test_the_validator_agrees_on_what_is_dumped(text: str) -> None:
    parser, validator = pytest.importorskip("skills_ref.parser"), pytest.importorskip("skills_ref.validator")
    theirs = validator.validate_metadata(parser.parse_frontmatter(text)[0], Path(FOLDER))
    assert skill_faults(text, FOLDER, "SKILL.md") or not theirs


@given(st.text(st.characters(), max_size=200), st.booleans())
def test_no_text_breaks_it(text: str, fenced: bool) -> None:
    text = f"---\n{text}\n---\nbody" if fenced else text
    skill_faults(text, FOLDER, "SKILL.md")
    load_skill(text, "SKILL.md")
    try:
        changed = with_metadata(text, a="b")
    except RejectedFileError:
        return
    assert dict(load_skill(changed, "SKILL.md")[0].metadata)["a"] == "b"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("a: b # c\n", 'a: b # c\nmetadata:\n  memd-version: "2"\n', id="none there"),
        pytest.param("", 'metadata:\n  memd-version: "2"\n', id="an empty header"),
        pytest.param("# only\n", '# only\nmetadata:\n  memd-version: "2"\n', id="a header of comments"),
        pytest.param("  a: b\n", '  a: b\n  metadata:\n    memd-version: "2"\n', id="a header moved in"),
        pytest.param("a: |+\n  x\n\n", 'a: |+\n  x\n\nmetadata:\n  memd-version: "2"\n', id="behind a block of text"),
        pytest.param("metadata:\na: b\n", 'metadata:\n  memd-version: "2"\na: b\n', id="empty"),
        pytest.param("metadata: # c\na: b\n", 'metadata: # c\n  memd-version: "2"\na: b\n', id="empty with a comment"),
        pytest.param('metadata: ""\n', 'metadata:\n  memd-version: "2"\n', id="an empty text"),
        pytest.param(
            "metadata:\n    x: y # c\n# d\n\na: b\n",
            'metadata:\n    x: y # c\n    memd-version: "2"\n# d\n\na: b\n',
            id="behind the last key, before what follows",
        ),
        pytest.param(
            "metadata:\n  memd-version:   1   # c\n  x: y\n",
            'metadata:\n  memd-version:   "2"   # c\n  x: y\n',
            id="in its place, with its comment",
        ),
        pytest.param("metadata:\n  memd-version:\n", 'metadata:\n  memd-version: "2"\n', id="where nothing stood"),
        pytest.param(
            "metadata:\n  memd-version: |\n    1\n\n  # c\n  x: y\n",
            'metadata:\n  memd-version: "2"\n\n  # c\n  x: y\n',
            id="a block of text",
        ),
        pytest.param(
            "metadata:\n  'memd-version': \"1\n    and more\"\n", "metadata:\n  'memd-version': \"2\"\n", id="two lines"
        ),
        pytest.param(
            "metadata:\n  x: |+\n    y\n\na: b\n",
            'metadata:\n  x: |+\n    y\n\n  memd-version: "2"\na: b\n',
            id="behind a block of text that keeps its ends",
        ),
        pytest.param(
            "metadata: {x: y, memd-version: 1} # c\na: b\n",
            'metadata: # c\n  x: "y"\n  memd-version: "2"\na: b\n',
            id="in braces",
        ),
        pytest.param(
            "metadata: # c\n  {x: 'y',\n   z: 01}\na: b\n",
            'metadata: # c\n  x: "y"\n  z: "01"\n  memd-version: "2"\na: b\n',
            id="in braces, over lines",
        ),
        pytest.param("metadata: {}\n", 'metadata:\n  memd-version: "2"\n', id="in empty braces"),
        pytest.param("  metadata: {}\n", '  metadata:\n    memd-version: "2"\n', id="in empty braces, moved in"),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["LF", "CRLF"])
def test_metadata_is_set_and_all_else_stays(before: str, after: str, end: str) -> None:
    changed = with_metadata(skill(before).replace("\n", end), memd_version="2")
    assert changed == skill(after).replace("\n", end)
    assert ("memd-version", "2") in load_skill(changed, "SKILL.md")[0].metadata
    assert with_metadata(changed, memd_version="2") == changed, "once is enough"


def test_several_keys_are_set_at_once() -> None:
    changed = with_metadata(skill(HEAD + "metadata:\n  b: 1\n  a: 1\n"), a="x", new_one="是: #", b="y")
    assert changed == skill(HEAD + 'metadata:\n  b: "y"\n  a: "x"\n  new-one: "是: #"\n')


@pytest.mark.parametrize(
    ("text", "code"),
    [
        pytest.param("# Steps\n", "skill.header", id="no front matter"),
        pytest.param(skill("a: b: c\n"), "yaml.syntax", id="no YAML"),
        pytest.param(skill("metadata: x\n"), "skill.key", id="a text"),
        pytest.param(skill("metadata:\n  - x\n"), "skill.key", id="a list"),
        pytest.param(skill("metadata: {a: [b]}\n"), "skill.key", id="nested"),
        pytest.param(skill("{a: b}\n"), "skill.header", id="a header in braces"),
        pytest.param(skill(f"# {'x' * 16_370}\n"), "skill.header", id="no room in the header"),
    ],
)
def test_what_cannot_be_set_is_refused(text: str, code: str) -> None:
    with pytest.raises(RejectedFileError) as caught:
        with_metadata(text, memd_version="2")
    assert caught.value.fault.code == code


LINES = ("# a comment", "", "license: MIT # c", "compatibility: |\n  two\n\n  lines\n", "'allowed-tools': >+\n  a\n\n")
BLOCKS = (
    "", "metadata:", "metadata: {k: v, a: '1'} # c", "metadata:\n  k: v # c\n\n  # in between\n  a: 1",
    "metadata:\n   a: >-\n     x\n     y\n\n   k: v",
)  # fmt: skip


@given(
    st.lists(st.sampled_from(LINES), unique=True),
    st.sampled_from(BLOCKS),
    st.integers(0, 5),
    st.sampled_from(["\n", "\r\n"]),
    st.dictionaries(st.sampled_from(["a", "b_c", "k"]), texts, min_size=1),
)
def test_no_other_line_changes(lines: list[str], block: str, at: int, end: str, values: dict[str, str]) -> None:
    before, after = lines[:at], lines[at:]
    text = skill("\n".join([*before, block, *after, ""])).replace("\n", end)
    changed = with_metadata(text, **values)
    assert changed.startswith("\n".join(["---", *before, ""]).replace("\n", end))
    assert changed.count("\n") == changed.count(end)
    page, old = split(changed, "SKILL.md"), split(text, "SKILL.md")
    wanted = {key.replace("_", "-"): value for key, value in values.items()}
    assert page.header == {**old.header, "metadata": {**(old.header.get("metadata") or {}), **wanted}}
    assert page.body == old.body
    kept = [line for one in after for line in one.split("\n")]
    there = iter(changed.split(end))
    assert all(line in there for line in kept), "each, in its order"
    assert "# in between" not in text or "  # in between" in changed
