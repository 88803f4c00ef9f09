"""Which messages ask for all that is held of somebody, and of whom."""

from __future__ import annotations

import time

import pytest

from memd.engine.recall.profile.inquiry import ME, inquiry_of

OF_ME = """\
What do you know about me?
what do you know about me
so, what do you actually know about me so far?
Tell me everything you remember about me
who am i
Who am I?
what have I told you about myself
Hey! Before we start: what do you remember about me?
what's in my profile
show me my profile
How well do you know me?
what info do you have on me
What facts have you stored about us?
Could you tell me what you know about me?
summarize what you know about me please
do you remember me?
What do you have on file about me?
I'd love to know what you have learned about me.
Good morning. What else do you know about me, by the way?
What is stored about me?
你知道我什么
你知道我什么？
你都记得我哪些事？
您还记得我哪些情况呢
我是谁
你对我了解多少
你还记得我吗
说说你知道的关于我的一切
你那里有我的哪些信息
你记住了我的什么
你都知道我些什么呀
你存了我的哪些信息？
总结一下你对我的了解
你觉得我是个什么样的人
你知道我多少
好的。那你现在知道我哪些情况？
关于我，你都知道些什么
你到底了解我多少啊"""
OF_OTHERS = """\
What do you know about Ana?|Ana
what do you know about my sister|my sister
What have I told you about Ana?|Ana
do you know anything about Ana Souza?|Ana Souza
do you remember Ana?|Ana
List all you know about the Kestrel project.|the Kestrel project
what did I tell you about my landlord?|my landlord
give me a summary of everything you know about Ana|Ana
Thanks! And what do you know about 小雨?|小雨
关于小雨你知道什么|小雨
关于小雨，你都记得些什么？|小雨
你对小雨有什么印象|小雨
你认识小雨吗|小雨
你知道小雨哪些事|小雨
你知道关于我妈妈的什么事|我妈妈
请问你对我妈妈了解多少呢？|我妈妈
关于风筝项目你记得哪些内容？|风筝项目
告诉我你记得的关于小雨的事|小雨
我跟你说过关于小雨的哪些事|小雨
谢谢。关于Ana你知道些什么？|Ana"""
ONLY_LOOKS_LIKE_IT = """\
what do you know about her?
what do you know about that?
How do I say "what do you know about me" in French?
do you know what time it is
Translate: what do you know about me
what do you know about me and when did I say it
What did I tell you yesterday?
do you remember what I said about Ana?
do you remember when we met
What do you know?
everything about me is fine
who am I meeting today?
what do you think about me?
write an email asking what they know about me
do you remember to call me?
Tell me about Ana.
My therapist asked what do you know about me, and I laughed about it.
`what do you know about me`
你知道我家猫叫什么吗
你知道我为什么迟到吗
你知道北京有什么好玩的
你知道小雨喜欢什么
你知道小雨喜欢什么吗
你记得小雨去过哪些地方
你知道他什么
你知道我的航班是几点吗
关于这个你知道什么
他问：你知道我什么
“你知道我什么”用英语怎么说
你知道我是做什么的吗
我不知道你知道我什么
你对我的代码有什么看法
关于我迟到的事你怎么看"""


@pytest.mark.parametrize("text", OF_ME.splitlines())
def test_all_that_is_known_of_the_asker_is_asked(text: str) -> None:
    found = inquiry_of(text)
    assert found is not None
    assert found.subject == ME


@pytest.mark.parametrize("case", OF_OTHERS.splitlines())
def test_all_that_is_known_of_another_is_asked(case: str) -> None:
    text, _, whom = case.partition("|")
    found = inquiry_of(text)
    assert found is not None
    assert found.subject == whom


@pytest.mark.parametrize("text", ONLY_LOOKS_LIKE_IT.splitlines())
def test_what_only_looks_like_it_is_none(text: str) -> None:
    assert inquiry_of(text) is None


@pytest.mark.parametrize(
    "piece",
    ["what do you know about ", "你知道", "关于", "tell me ", "the ", "我", " so", "。", "? ", "still ", "已经"],
)
def test_a_message_that_repeats_itself_is_read_at_once(piece: str) -> None:
    text = (piece * 300)[:300]
    started_s = time.process_time()
    for end in ("", "?", "about", "什么"):
        inquiry_of(text[: 300 - len(end)] + end)
    assert time.process_time() - started_s < 5  # a form that goes back over its words takes minutes


def test_a_long_message_asks_for_something_else() -> None:
    assert inquiry_of("x" * 400 + ". What do you know about me?") is None
