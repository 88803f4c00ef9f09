"""What ends with a death: what somebody who died is said to be and to do now.

Only what is proved: the death is told of a person or an animal by their name, or by what they are to the speaker, and the
statement that ends has the same as its subject and a verb of the present. What they were, and what is theirs, stays.

Source
    Own lists.
"""

from __future__ import annotations

from typing import NamedTuple

from memd.text import expressions as re

READ_CHARS = 300
_KIN = (
    r"(?:great-|grand|step)*(?:mother|father|mum|mam|mom|dad|ma|pa|son|daughter|parent)(?:-in-law)?|gran|granny|nan|nana|grandad|sister|brother|sister-in-law|brother-in-law"
    r"|cousin|aunt|auntie|aunty|uncle|niece|nephew|wife|husband|partner|friend|neighbou?r|boss|teacher|colleague|dog|cat|horse|pony|rabbit|hamster|parrot|budgie|goat|hen|tortoise"
)
_NAME = r"(?-i:[A-Z][\w’'-]*[\w])"
_DIED = r"(?:(?:has|have|had|just|sadly|suddenly|finally|peacefully|also) )*(?:died(?! (?:on me|laughing|inside|down|out|of (?:laughter|embarrassment|boredom)))|passed away|passed on|is dead|was buried|was put (?:down|to sleep))\b"
_TOLD = (
    re.compile(
        rf"\b(?:my|our) (?:late |poor |dear |lovely )*(?P<kin>{_KIN})(?: (?P<name>{_NAME}))?,? {_DIED}"
        rf"|(?<!['’]s )(?P<alone>{_NAME}) {_DIED}"
        rf"|\b(?:buried|cremated) (?:my |our )?(?:poor |late |dear |old )*(?:(?P<of>{_KIN})\b ?)?(?P<buried>{_NAME})?",
        re.IGNORECASE,
    ),
    re.compile(
        r"(?:我们?|咱们?)(?:的)?(?P<kin>外婆|外公|奶奶|爷爷|姥姥|姥爷|爸爸?|妈妈?|父亲|母亲|岳父|岳母|公公|婆婆|老公|老婆|丈夫|妻子|哥哥?|弟弟?|姐姐?|妹妹?|舅舅?|姨妈?|姑妈?|叔叔?|伯伯?|老师|师父|狗|猫)"
        r"(?!的)[^，。！？\s]{0,8}?(?:去世|过世|离世|病故|病逝|咽气|不在了|没了(?=[，。！\s]|\Z)|被安乐死)"
    ),
)
_NOW = re.compile(
    r"\s*(?:(?:also|still|now|always|usually|often|never) )*(?:is|are|lives?|works?|has|goes|comes|plays?|takes|stays?|teaches|runs|drives|visits|likes?|loves?|hates?|eats|drinks|keeps?|sleeps|calls|rings|rents|owns|studies|looks|needs|wants|can|['’]s (?:in|on|at|an?|very|still|not|living|working|only|nearly|\d+|ill|sick|well|retired|married|single))\b",
    re.IGNORECASE,
)
_THEN_ZH = re.compile(r"生前|去世|过世|以前|曾经?|当年|小时候|忌日|坟|遗")


class Death(NamedTuple):
    """Who died: what they are to the speaker, and their name; "" where that is not said."""

    kin: str
    name: str


def death_in(text: str) -> Death | None:
    """Return whose death a text tells; None where it tells none."""
    head = text[:READ_CHARS]
    for pattern in _TOLD:
        if found := pattern.search(head):
            groups = {key: value or "" for key, value in found.groupdict().items()}
            kin = groups["kin"] or groups.get("of", "")
            name = groups.get("name", "") or groups.get("alone", "") or groups.get("buried", "")
            return Death(kin.lower(), name) if kin or name else None
    return None


def ends_with(death: Death, statement: str) -> bool:
    """Tell whether a statement says what who died is or does now."""
    if death.kin and not death.kin.isascii():
        found = re.match(
            rf"(?:而且|还有|但是?)?(?:我们?|咱们?|用户)?(?:的|家)?{death.kin}(?![\u4e00-\u9fff]?的)", statement
        )
        return found is not None and _THEN_ZH.search(statement) is None
    who = rf"(?:and |but )?(?:(?:my|our|the user['’]s|user['’]s) )?(?:(?:poor|old|dear|late) )*(?:(?P<kin>{_KIN})\b ?)?(?P<name>{_NAME})?"
    found = re.match(who, statement, re.IGNORECASE)
    if (
        found is None
        or not (found["kin"] or found["name"])
        or statement[found.end() : found.end() + 2] in ("'s ", "’s ")
    ):
        return False
    named = (found["name"] or "").removesuffix("'s").removesuffix("’s")
    same = named == death.name if named or death.name else (found["kin"] or "").lower() == death.kin
    rest = statement[found.end() - (2 if (found["name"] or "").endswith(("'s", "’s")) else 0) :]
    return same and _NOW.match(rest) is not None
