"""Which words of a text are its speaker's own, and which are played, told of a story, quoted, or code.

Played is what a character does or says: an action between asterisks or at a line's beginning in brackets (*draws her
sword*, （拔出长剑）), a line marked as in character, speech with a storyteller's verb. A short emote (*sigh*, （叹气）) is
chat. A remark out of character (OOC, ((…)), 【场外】) is the speaker's own, wherever it stands.

Source
    Own lists; the marks are those of role-play forums and chat programs.
"""

from __future__ import annotations

from typing import NamedTuple

from memd.text import expressions as re
from memd.text.characters import is_chinese

READ_CHARS = 4000
QUOTED_NAME = "\ufffc"  # stands for a few words in quotation marks, as a name may be written
NAME_CHARS = 24

_OUT = r"(?:ooc|o\.o\.c\.|out[ -]of[ -]character|场外|戏外|出戏|皮下)"
_OPENS, _CLOSES = "(（[【{", ")）]】}"
# The mark alone in brackets, or before a colon: all that follows is the remark. In brackets with its words: these are.
_MARKED = re.compile(rf"(?:[(（\[【{{]{{1,2}}\s*{_OUT}\s*[)）\]】}}]{{1,2}}\s*[:：]?|{_OUT}\s*[:：–—])", re.IGNORECASE)
_BRACKETED = re.compile(rf"(?:[(（\[【{{]{{1,2}}\s*{_OUT}(?:\s*[:：,，–—-]|\s)|\(\(|（（)", re.IGNORECASE)
_INSIDE = re.compile(rf"[(（\[【{{]\s*{_OUT}(?![a-z])|(?:^|\n)[ \t]{{0,8}}{_OUT}\s*[:：–—]|\(\(|（（", re.IGNORECASE)
# An action: begins small or with a pronoun, at a line's edge or behind a sentence, and is no emphasis before a colon.
_ACTION = re.compile(
    r"(?:^|\n|[.!?…\"”。！？]\s*)(?<![*\w])\*(?=\S)(?:(?:he|she|they|it|i|my|his|her|their|the|a) \w+ |[a-z]+(?:s|ing)\b |[a-z]+ly \w+(?:s|ing)\b )[^*\n]{1,300}(?<=[^\s*])\*(?![*\w:：])"
    r"|(?:^|\n|[。！？…”」]\s*)\*[^*\n]{0,4}[\u4e00-\u9fff][^*\n]{2,80}\*(?![*:：])",
    re.IGNORECASE,
)
_ACTION_ZH = re.compile(
    r"(?:^|\n)[ \t]{0,8}[（(【](?=[^（(【）)】]*(?:笑|叹|点头|摇头|鞠躬|抬|低头|转身|看向|握|拔|挥|皱|眨|躺|坐|站|走|跪|抱|推|拍|耸|沉默|脸红|擦|盯|伸|举|靠|扑|咬|凑|捂|扔|放下))[^（(【）)】\n]{4,60}[）)】]"
)
_IN_CHARACTER = re.compile(r"\A[(（\[【]?\s*(?:ic|in character|戏内)\s*[)）\]】]?\s*[:：]", re.IGNORECASE)
_SPOKEN = re.compile(
    r"\A[\"“「『][^\"“”「」『』]{2,}[\"”」』][,，]?\s*(?:\w+ ){0,3}(?:whispered|growled|hissed|murmured|snarled|exclaimed|muttered|proclaimed|declared|roared|bellowed|sighed|replied the)\b"
    r"|\A[\"“「『][^\"“”「」『』]{2,}[\"”」』][^。！？\n我]{0,8}(?:低声|冷冷|怒|冷笑|笑|喝|叹|沉声|喃喃|朗声|轻声)[地]?(?:道|说道)"
    r"|\A[^\"“「『\n我]{1,12}(?:低声|冷冷|怒|冷笑|笑|喝|叹|沉声|喃喃|朗声|轻声)[地]?(?:道|说道)[:：，,]\s*[\"“「『]",
    re.IGNORECASE,
)
_STORY = re.compile(
    r"\b(?:in|for|from) (?:the|my|our|this|that|a|his|her) (?:\w+ )?(?:story|novel|game|campaign|role-?play|rp|film|movie|script|play|fanfic|dream|scene|chapter|song|poem|joke)\b"
    r"|\bin[ -]character\b|\brole-?play|\bpretend(?:ing)?\b|\bonce upon a time\b|\b(?:my|the|his|her) (?:main |player )?(?:character|hero|heroine|villain|protagonist|narrator|npc|wizard|knight|elf)\b"
    r"|\bin the (?:words|voice) of\b|\bmake[- ]believe\b"
    r"|(?:在|我的|这个|那个|那部|这部)(?:故事|小说|游戏|剧本|剧情|电影|梦|角色扮演)(?:里|中|的)|角色扮演|扮演|假装|台词|从前有|(?:主角|男主|女主|反派|旁白|人设)",
    re.IGNORECASE,
)
_EMOTE = re.compile(r"(?:^|\n|[.!?。！？]\s*)(?<![*\w])\*[a-z\u4e00-\u9fff]{2,12}\*(?![*:：])")
_CODE = re.compile(r"```[\s\S]*?(?:```|\Z)|~~~[\s\S]*?(?:~~~|\Z)|`[^`\n]{1,300}`")
_BLOCK = re.compile(r"^[ \t]*(?:>|\|).*$", re.MULTILINE)
_QUOTES = re.compile(
    r"\"[^\"\n]{1,600}\"|“[^”]{1,600}”|「[^」]{1,600}」|『[^』]{1,600}』|《[^》]{1,200}》|(?<!\w)['‘][^'‘’\n]{1,300}['’](?!\w)"
)


def remark_of(text: str) -> str:
    """Return what a remark out of character says, "" where the text is none as a whole."""
    text = text[:READ_CHARS].strip()
    if found := _MARKED.match(text):
        said = text[found.end() :]
    elif (found := _BRACKETED.match(text)) and text[-1] in _CLOSES:
        said = text[found.end() :].rstrip(_CLOSES)
        if any(one in said for one in _CLOSES) and not any(one in said for one in _OPENS):
            return ""  # the brackets end before the text does
    else:
        return ""
    return "" if _ACTION.search(said) else said.strip()


class Voice(NamedTuple):
    """A piece of a text: a remark out of character, without its mark (`own`), or what stands beside one."""

    text: str
    own: bool


def voices(text: str) -> list[Voice]:
    """Return the pieces of a text in their order; a text without a remark is one piece."""
    if said := remark_of(text):
        rest = text.strip()[READ_CHARS:]
        return [Voice(said, own=True), *([Voice(rest, own=False)] if rest else [])]
    found: list[Voice] = []
    at = 0
    for match in _INSIDE.finditer(text[:READ_CHARS]):
        begin = match.end() - len(match[0].lstrip())
        if begin < at or text[max(0, begin - 1) : begin].isalnum():
            continue
        end = _end_of(text, begin)
        if said := remark_of(text[begin:end]):
            found += [Voice(text[at:begin].strip(), own=False), Voice(said, own=True)]
            at = end
    if not found:
        return [Voice(text, own=False)]
    return [one for one in (*found, Voice(text[at:].strip(), own=False)) if one.text]


def _end_of(text: str, begin: int) -> int:
    """Return where a remark ends that begins here: at its last bracket, or with its line."""
    line_ends = text.find("\n", begin)
    line_ends = len(text) if line_ends < 0 else line_ends
    if text[begin] not in _OPENS or _MARKED.match(text, begin):
        return line_ends
    depth = 0
    for at in range(begin, min(len(text), READ_CHARS)):
        depth += (text[at] in _OPENS) - (text[at] in _CLOSES)
        if not depth:
            return at + 1
    return line_ends


def out_of_character(text: str) -> str:
    """Return a text marked as a remark out of character, as `remark_of` knows it."""
    return f"场外：{text}" if is_chinese(text) else f"OOC: {text}"


def has_remark(text: str) -> bool:
    """Tell whether a text has a remark out of character anywhere."""
    return _INSIDE.search(text[:READ_CHARS]) is not None


def is_played(text: str) -> bool:
    """Tell whether a text is a character's: an action, or speech, of a role that is played."""
    text = text[:READ_CHARS].strip()
    if remark_of(text):
        return False
    return any(pattern.search(text) for pattern in (_ACTION, _ACTION_ZH, _IN_CHARACTER, _SPOKEN))


def is_of_story(text: str) -> bool:
    """Tell whether a text says that it is about a story, a game or a character, or has anything that is played."""
    return is_played(text) or any(one.search(text[:READ_CHARS]) for one in (_STORY, _EMOTE))


def own_words(text: str) -> str:
    """Return a text without code and quotations; what may be a name in quotation marks leaves QUOTED_NAME."""
    plain = _BLOCK.sub(" ", _CODE.sub(" ", text[:READ_CHARS]))
    return _QUOTES.sub(lambda found: QUOTED_NAME if len(found[0]) <= NAME_CHARS else " ", plain)
