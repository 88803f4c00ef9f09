"""Words that say nothing about what a message is about: function words, question words, chat fillers.

Source
    Own lists. That question words and fillers belong to them was measured (docs/design/retrieval.md#what-was-measured: +0.09 recall).
"""

from __future__ import annotations

_ENGLISH = """
a about above after again ago all almost already also although always am an and another any anybody anyone
anything anyway are aren't around as ask asked at away back be because been before being below between both but
by came can can't cannot come could couldn't did didn't do does doesn't doing don don't done down during each
either else even ever every everyone everything few for from further gave get gets getting give given go goes
going gonna got had hadn't has hasn't have haven't having he he'd he'll he's her here here's hers herself hey hi
him himself his how how's however i i'd i'll i'm i've if in into is isn't it it'd it'll it's its itself just
know knew let let's like lot lots made make makes many may maybe me might mine more most much must my myself
near need needs neither no nor not nothing now of off often oh ok okay on once one ones only or other others our
ours ourselves out over own perhaps please quite rather really right said same say says see seem seems shall
shan't she she'd she'll she's should shouldn't since so some somebody someone something sometimes soon still
such sure tell than thank thanks that that's the their theirs them themselves then there there's these they
they'd they'll they're they've thing things think this those though through to told too toward under until up
upon us use used using very want wanted wants was wasn't way we we'd we'll we're we've well went were weren't
what what's whatever when when's where where's whether which while who who's whom whose why why's will with
within without won't would wouldn't yeah yes yet you you'd you'll you're you've your yours yourself yourselves
hello wow lol haha hmm um uh btw remember remind something's d ll m re s t ve
"""
ENGLISH = frozenset(_ENGLISH.split())

# Single characters that carry grammar; a bigram made of two of them, or the character alone, is no evidence.
CHINESE_CHARS = frozenset(
    "的了着过吗呢吧啊呀嘛哦哈嗯么是在有和与及或也都还又就才再很太更最不没别我你他她它们这那哪谁个些把被给让对从到向"
    "于以为之其而且但若如因所得地个中上下里能会要可想说去来做看"
)

_PHRASES = """
你还记得 还记得吗 为什么 怎么样 怎么办 是不是 有没有 能不能 可不可以 要不要 什么时候 多少钱 哪一个 这一个 那一个 请告诉我 告诉我 我们的 你们的 他们的 什么 怎么 如何 哪里
哪儿 哪些 哪个 多少 几点 几个 谁的 是谁 记得 请问 一下 一个 一些 这个 那个 这些 那些 这样 那样 我们 你们 他们 她们 自己 因为 所以 但是 如果 虽然 而且 或者 还是 然后
就是 不是 没有 可以 可能 应该 需要 知道 觉得 现在 时候 已经 还有 一直 一起 有点 非常 真的 好的 谢谢 你好 哈哈
"""

# Words and phrases cut out of a Chinese query before bigrams are made, longest first.
CHINESE_PHRASES = tuple(_PHRASES.split())
