"""What an agent states as a finding: what it found out and says so, without a perhaps, not what it does, plans or offers.

Source
    Own lists.
"""

from __future__ import annotations

from collections.abc import Iterator

from memd.engine.keep.talk.own import is_others
from memd.text import expressions as re
from memd.text.borders import stands
from memd.text.statements import statements

MOST = 6  # findings of one message

_FINDING = re.compile(
    r"\b(?:root cause|(?:i(?:['’]ve)?|we) (?:found|confirmed|verified|measured|traced|reproduced|determined|discovered|checked and)|turns out|it turned out|the (?:problem|issue|bug|cause|culprit|reason|bottleneck|failure|crash|leak|error) (?:is|was|comes|came)|verified|confirmed(?! by you)|bisect(?:ed|ing)?|(?:fixed|solved|caused|resolved) by|the fix (?:is|was)|(?:tests?|benchmarks?|logs?|profil\w+|measurements?|docs|documentation) (?:show|shows|showed|confirm|confirms|confirmed|say|says)|conclusion|findings?:|result:|measured at|reproducible|only (?:works|fails|happens) (?:when|on|with|if))\b"
    r"|根因|根本原因|原因(?:是|在于|查到)|(?:已|经)(?:验证|确认|查明|核实|证实)|结论|查到了?|定位到|排查(?:发现|结果)|实测|测试(?:表明|结果|发现)|发现(?:是|了|问题)|证实|瓶颈(?:在|是)|问题(?:出在|在于|是)",
    re.IGNORECASE,
)
_HEDGED = re.compile(
    r"\b(?:probabl[ey]|perhaps|maybe|might|may|could be|likely|possibl[ey]|i (?:think|guess|suspect|believe|assume)|seems?|appears?|should be|not (?:yet )?(?:confirmed|verified|sure)|unclear|i['’]ll|i will|let me|going to|would|if)\b"
    r"|可能|也许|大概|估计|应该|似乎|好像|猜|怀疑|不确定|尚未|还没|如果|我(?:来|会|去|先|再|马上)",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])|(?<=[。！？])")
_FOUND = re.compile(
    r"^(?:ok(?:ay)?|great|good news|so|well|done|right|alright)?[\s,:;.!—–-]*(?:(?:i(?:['’]ve)?|we(?:['’]ve)?) (?:just |now |also )?(?:found|confirmed|verified|determined|discovered|checked and found)(?: out)?(?: that)?|it turns out(?: that)?|turns out(?: that)?|it turned out(?: that)?)[\s,:]+"
    r"|^(?:好的?|嗯)?[，,]?(?:我)?(?:查到了?|发现了?|确认了?|已确认|排查发现|已查明|经确认)[，,：:]?(?=.{4})",
    re.IGNORECASE,
)


def findings(text: str) -> Iterator[str]:
    """Yield what an agent's message states as found out, at most MOST statements."""
    count = 0
    for one in statements(text):
        if not one.tells or one.request or is_others(one.text):
            continue
        for sentence in _SENTENCE.split(one.text):
            if count < MOST and _FINDING.search(sentence) and not _HEDGED.search(sentence):
                said = _FOUND.sub("", sentence, count=1).strip(" .。")
                if stands(said):
                    count += 1
                    yield said[:1].upper() + said[1:]
