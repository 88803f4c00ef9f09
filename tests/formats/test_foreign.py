"""Foreign formats: to the character, with nothing lost, and refused where they are broken."""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any

import pytest

from memd.errors import RejectedFileError
from memd.formats.books import load_book
from memd.formats.foreign import lorebooks
from memd.formats.foreign.agent_files import dump_management, read_management
from memd.formats.foreign.reading import SIGNATURE, read_foreign
from memd.model.memory import Kind

RICH = {
    "uid": 4, "key": ["城堡", "/cast(le)?/i"], "keysecondary": ["moat"], "comment": "a castle", "content": "It stands.",
    "constant": False, "selective": True, "selectiveLogic": 2, "order": 55, "position": 4, "depth": 2, "role": 1,
    "disable": False, "excludeRecursion": True, "preventRecursion": True, "delayUntilRecursion": 2, "probability": 40,
    "useProbability": True, "group": "g,h", "groupOverride": True, "groupWeight": 30, "useGroupScoring": None,
    "scanDepth": 3, "caseSensitive": True, "matchWholeWords": None, "sticky": 2, "cooldown": 3, "delay": 1,
    "automationId": "x", "vectorized": False, "displayIndex": 7, "extensions": {"mine": {"a": 1}}, "ignoreBudget": True,
}  # fmt: skip
PLAIN = {
    "uid": 9,
    "key": ["bell"],
    "keysecondary": [],
    "comment": "",
    "content": "Rung.",
    "constant": True,
    "selective": True,
    "order": 100,
    "position": 1,
    "disable": True,
}


def with_card(data: bytes, keyword: str, text: bytes) -> bytes:
    chunk = b"tEXt" + keyword.encode() + b"\0" + base64.b64encode(text)
    body = len(chunk[4:]).to_bytes(4) + chunk + zlib.crc32(chunk).to_bytes(4)
    end = data.rindex(b"IEND") - 4
    return data[:end] + body + data[end:]


def same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Entries are equal where they say the same; a null member counts as absent."""
    return {k: v for k, v in one.items() if v is not None} == {k: v for k, v in other.items() if v is not None}


def test_a_world_info_file_comes_out_as_it_went_in() -> None:
    book = {"entries": {"4": RICH, "9": PLAIN}, "name": "w", "unknown": [1, {"x": None}]}
    found = read_foreign("w.json", json.dumps(book).encode())
    assert json.loads(found.books[0][1]) == book


def test_the_same_book_as_a_card_gives_the_same_entries() -> None:
    card = lorebooks.from_world_info({"entries": {"4": RICH, "9": PLAIN}}, "w")
    form, back = lorebooks.lorebook_of(card)
    assert form == "card"
    assert back is not None
    for uid, entry in (("4", RICH), ("9", PLAIN)):
        assert same(back["entries"][uid], entry), (back["entries"][uid], entry)
    assert load_book(json.dumps(back).encode(), "w.json").faults == ()


def test_a_card_keeps_what_world_info_has_no_name_for() -> None:
    entry = {
        "keys": ["a"],
        "content": "x",
        "enabled": True,
        "insertion_order": 3,
        "priority": 7,
        "id": 1,
        "extensions": {"vendor/k": 5},
    }
    data = {
        "name": "Mira",
        "description": "kind",
        "character_book": {"scan_depth": 9, "extensions": {"e": 1}, "entries": [entry]},
    }
    found = read_foreign("c.json", json.dumps({"spec": "chara_card_v3", "spec_version": "3.0", "data": data}).encode())
    book = json.loads(found.books[0][1])
    assert found.books[0][0] == "Mira"
    assert book["entries"]["1"]["extensions"] == {"vendor/k": 5, "card": {"priority": 7, "id": 1}}
    again = lorebooks.from_world_info(book, "Mira")
    assert again["data"]["description"] == "kind"
    assert again["data"]["character_book"]["scan_depth"] == 9
    out = again["data"]["character_book"]["entries"][0]
    assert {key: out[key] for key in ("keys", "content", "enabled", "insertion_order", "priority", "id")} == {
        key: entry[key] for key in ("keys", "content", "enabled", "insertion_order", "priority", "id")
    }
    assert out["extensions"]["vendor/k"] == 5


def test_a_picture_gives_the_card_it_carries() -> None:
    header = b"IHDR" + (1).to_bytes(4) * 2 + b"\x08\x02\0\0\0"
    empty = (
        SIGNATURE
        + (13).to_bytes(4)
        + header
        + zlib.crc32(header).to_bytes(4)
        + (0).to_bytes(4)
        + b"IEND"
        + zlib.crc32(b"IEND").to_bytes(4)
    )
    card = {
        "spec": "chara_card_v2",
        "data": {"name": "米拉", "character_book": {"entries": [{"keys": ["灯塔"], "content": "亮"}]}},
    }
    found = read_foreign("c.png", with_card(empty, "chara", json.dumps(card, ensure_ascii=False).encode()))
    assert found.books[0][0] == "米拉"
    with pytest.raises(RejectedFileError):
        read_foreign("c.png", empty)
    with pytest.raises(RejectedFileError):
        read_foreign("c.png", empty[:20])


@pytest.mark.parametrize(
    ("book", "expected"),
    [
        ({"lorebookVersion": 4, "entries": [{"text": "t", "keys": ["k"], "displayName": "n", "enabled": False, "searchRange": 1000, "contextConfig": {"budgetPriority": 400, "prefix": "p"}}]},
         {"key": ["k"], "content": "t", "comment": "n", "disable": True, "order": 400}),
        ({"kind": "memory", "name": "b", "entries": [{"name": "n", "entry": "t", "keywords": ["dra*n"], "weight": 5, "priority": 9, "enabled": True}]},
         {"key": [r"/\bdra\w*n\b/i"], "content": "t", "order": 5, "disable": False}),
        ({"type": "risu", "data": [{"key": "a, b", "secondkey": "c", "content": "t", "comment": "n", "alwaysActive": True, "insertorder": 7, "activationPercent": 30, "selective": True, "mode": "normal"}, {"mode": "folder", "comment": "f"}]},
         {"key": ["a", "b"], "keysecondary": ["c"], "constant": True, "order": 7, "probability": 30}),
    ],
)  # fmt: skip
def test_other_lorebooks_become_world_info(book: dict[str, Any], expected: dict[str, Any]) -> None:
    _, found = lorebooks.lorebook_of(book)
    assert found is not None
    (entry,) = found["entries"].values()
    assert {key: entry[key] for key in expected} == expected
    kept = json.dumps(found)
    for word in (
        ("searchRange", "prefix") if "lorebookVersion" in book else ("priority",) if "kind" in book else ("folders",)
    ):
        assert word in kept, f"{word} is kept under its own name"


PROMPTX = {
    "bare": ("# 陈述性记忆 \n- 团队用Java，TypeScript #技术栈 #团队信息 \n- 二 #x", [("团队用Java，TypeScript", ["技术栈", "团队信息"], None), ("二", ["x"], None)]),
    "time last": ("# 陈述性记忆库\n\n## 高价值记忆（评分 ≥ 7）\n\n- 简洁 #偏好 #评分:8 #有效期:长期 #时间:2025/05/21 14:05\n", [("简洁", ["偏好"], "2025-05-21T14:05")]),
    "time first": ("# 陈述性记忆\n\n- 2025/01/15 14:30 测试 记忆 #工具使用 #评分:8 #有效期:短期\n", [("测试 记忆", ["工具使用"], "2025-01-15T14:30")]),
    "glued tails": ("- 2025/05/31 10:00 用docker #deploy #评分:8 #有效期:长期 #旧 #评分:7 #有效期:短期\n", [("用docker", ["deploy", "旧"], "2025-05-31T10:00")]),
    "many lines": ("# 陈述性记忆\n\n- 2025/06/07 19:33 经验：\n1. a\n- b #inside\n\n## heading\n10. c --tags 微服务 Spring Cloud ##其他 #评分:8 #有效期:长期\n\n## 高价值记忆（评分 ≥ 7）\n",
                   [("经验：\n1. a\n- b #inside\n\n## heading\n10. c", ["微服务", "Spring", "Cloud", "其他"], "2025-06-07T19:33")]),
    "blocks": ("# 陈述性记忆\n\n- 2025/06/24 23:53 START\nCarson，\n- 列表 #x --tags COSE 标准化\n--tags #最佳实践 #评分:8 #有效期:长期\n- END\n\n- 2025/06/25 01:00 START\n- END of a line #y\n--tags #其他 #评分:8 #有效期:长期\n- END",
               [("Carson，\n- 列表 #x", ["COSE", "标准化", "最佳实践"], "2025-06-24T23:53"), ("- END of a line #y", ["其他"], "2025-06-25T01:00")]),
}  # fmt: skip


@pytest.mark.parametrize("generation", PROMPTX)
def test_promptx_memory_of_every_generation_is_read_to_the_character(generation: str) -> None:
    text, expected = PROMPTX[generation]
    found = read_foreign("declarative.md", text.encode())
    got = [(one["content"], one.get("tags", []), one.get("timestamp")) for _, one in found.memories]
    assert got == expected
    assert found.refused == []


def test_promptx_xml_is_read_by_its_own_pattern() -> None:
    text = (
        '<?xml version="1.0" encoding="UTF-8"?>\n<memory>\n  <item id="mem_1_ab" time="2025/06/26 10:00">\n    <content>\n'
        "      一 &lt;b&gt; &amp; &#x27;\n    \n        if x:\n    </content>\n    <tags>#工具 #流程</tags>\n  </item>\n"
        '  <item id="legacy_1" time="x"><content>bare < text</content><tags></tags></item>\n</memory>'
    )
    found = read_foreign("declarative.dpml", text.encode())
    assert [one for _, one in found.memories] == [
        {"id": "mem_1_ab", "content": "一 <b> & '\n\n  if x:", "timestamp": "2025-06-26T10:00", "tags": ["工具", "流程"], "keywords": ["工具", "流程"]},
        {"id": "legacy_1", "content": "bare < text"},
    ]  # fmt: skip


def test_hermes_entries_are_split_at_their_mark_alone() -> None:
    found = read_foreign("USER.md", "住在上海\n§\nlikes § inline\n§\n住在上海".encode())
    assert [one for _, one in found.memories] == [
        {"content": "住在上海", "tags": ["user"]},
        {"content": "likes § inline", "tags": ["user"]},
    ]


def test_a_management_export_comes_out_as_it_went_in() -> None:
    exported = [
        {"id": "a", "type": "episodic", "content": "外婆家", "keywords": ["外婆"], "triggerType": "keyword", "priority": 80, "isConstant": False,
         "importanceScore": 0.8, "emotionType": "positive", "emotionScore": 0.6, "createdAt": "2026-01-01T00:00:00Z", "updatedAt": "2026-01-01T00:00:00Z"},
        {"id": "b", "type": "trait", "content": "直爽", "keywords": [], "priority": 70, "isConstant": True},
    ]  # fmt: skip
    found = read_management(exported)
    assert [(kind, one.get("content", one.get("value"))) for kind, one in found.memories] == [
        (Kind.EPISODIC, "外婆家"),
        (Kind.TRAIT, "直爽"),
    ]
    assert found.memories[0][1]["relevanceWeight"] == 0.8
    again = dump_management(found.memories)
    assert [{k: v for k, v in one.items() if k in old} for one, old in zip(again, exported, strict=True)] == exported


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("x.json", b"{bad"), ("x.json", b""), ("x.json", b"[1, 2]"), ("x.json", b'{"a": 1}'), ("x.md", b"\xff\xfe"),
        ("x.md", b"just words"), ("engrams.db", b"SQLite format 3\0"), ("x.json", b"[" * 5000), ("x.json", b'{"entries": {"a": 1'),
    ],
)  # fmt: skip
def test_what_is_of_no_known_form_is_refused(name: str, data: bytes) -> None:
    with pytest.raises(RejectedFileError):
        read_foreign(name, data)
