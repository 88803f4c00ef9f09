"""What is to be remembered keeps its words: denials, last words, what belongs to a clause; fact and request both stay."""

from __future__ import annotations

import random

import pytest

from memd.engine.keep.guard.asking import asked_to_remember
from memd.engine.keep.guard.calls import rule_on_message
from memd.model.scan import Action

# What is said, and what of it is to be remembered.
CASES = [
    # Last words that look like courtesy and belong to the clause.
    ("Keep in mind the release is not OK", "the release is not OK"),
    ("Remember that deploys need Priya's OK", "deploys need Priya's OK"),
    ("deploys need Priya's OK, remember that", "deploys need Priya's OK"),
    ("Remember I never say please", "I never say please"),
    ("remember, she made dinner for me", "she made dinner for me"),
    ("Keep in mind that nothing works for me", "nothing works for me"),
    ("Remember that she signs off with thanks", "she signs off with thanks"),
    ("Please remember that our status words are green, amber, okay.", "our status words are green, amber, okay"),
    ('Remember Bob replied "no thanks"', 'Bob replied "no thanks"'),
    ('Please remember: my safe word is "please"', 'my safe word is "please"'),
    ("Don't forget that the box is for later", "the box is for later"),
    ("Make a note that he asked would you", "he asked would you"),
    ("Remember my cat is called Lol", "my cat is called Lol"),
    ("记住我爱你", "我爱你"),
    ("记住我喜欢这个", "我喜欢这个"),
    ("记住她说你好吗", "她说你好吗"),
    ("记住他的口头禅是可以吗", "他的口头禅是可以吗"),
    ("记住她总说谢谢", "她总说谢谢"),
    ("请记住他不说拜托", "他不说拜托"),
    ("记住我家猫叫哈哈", "我家猫叫哈哈"),
    ("记住老板说周五可以", "老板说周五可以"),
    ("请记住暗号提示是好不好", "暗号提示是好不好"),
    # Courtesy that is some.
    ("Please remember this: I take the 8:12 train, thanks!", "I take the 8:12 train"),
    ("remember that I don't want calls before 9, ok?", "I don't want calls before 9"),
    ("note: the keys are under the mat, for later", "the keys are under the mat"),
    ("We never ship on Fridays. Remember that, will you?", "We never ship on Fridays"),
    ("记住我不吃香菜，谢谢", "我不吃香菜"),
    ("记住：周五不发版，好吗？", "周五不发版"),
    ("以后记住我叫小林，可以吗？", "我叫小林"),
    ("记一下周五开会好吗", "周五开会"),
    ("能记住我不吃辣吗", "我不吃辣"),
    ("把我不吃葱记下来，谢谢你", "我不吃葱"),
    # Denials.
    ("Remember not to deploy on Fridays", "not to deploy on Fridays"),
    ("Remember that the invoice isn't ok yet", "the invoice isn't ok yet"),
    ("Keep this in mind: the answer is no", "the answer is no"),
    ("The flat is not mine, keep that in mind", "The flat is not mine"),
    ("Remember nobody may use the van, not even Tom", "nobody may use the van, not even Tom"),
    ("请记住我不是素食者", "我不是素食者"),
    ("请记住：发布还没有通过", "发布还没有通过"),
    ("记住发布不可以", "发布不可以"),
    ("记住合同没签好", "合同没签好"),
    ("别忘了我不能吃海鲜", "我不能吃海鲜"),
    ("记住我讨厌这样，好不好", "我讨厌这样"),
    # First words that look like part of the instruction.
    ("remember bank holiday is Monday", "bank holiday is Monday"),
    ("remember down jackets go to the cleaner", "down jackets go to the cleaner"),
    ("remember about 40 people come to the standup", "about 40 people come to the standup"),
    ("remember sessions that expire after 30 min are kept", "sessions that expire after 30 min are kept"),
    ("remember from now on I'm Sam", "from now on I'm Sam"),
    ("记住哈佛的申请截止是一月一号", "哈佛的申请截止是一月一号"),
    ("记住吧台在二楼", "吧台在二楼"),
    ("记住记者下午来", "记者下午来"),
    ("记住了解客户很重要", "了解客户很重要"),
    ("记住啊我不吃辣", "我不吃辣"),
    ("记住好的开始是成功的一半", "好的开始是成功的一半"),
    # A fact and a request.
    ("I'm allergic to nuts, remember to book the table for four", "I'm allergic to nuts"),
    ("I'm vegetarian. Please remember that and book a table for two.", "I'm vegetarian"),
    ("I hate coriander, so remember that and suggest a soup", "I hate coriander"),
    ("My bike is blue. Note that down and order a blue lock.", "My bike is blue"),
    ("My flight is at 6 am. Remember it, then check the weather.", "My flight is at 6 am"),
    ("My dentist is Dr. Wu, please remember, and also can you draft the email to her?", "My dentist is Dr. Wu"),
    ("Book a table for four and remember I'm allergic to nuts", "I'm allergic to nuts"),
    ("Write the tests, and remember that we use pytest", "we use pytest"),
    ("Remember I'm vegetarian and find me a restaurant.", "I'm vegetarian and find me a restaurant"),
    ("Please remember my wife is Ana. What's the weather?", "my wife is Ana"),
    ("What's for lunch? Remember I don't eat pork.", "I don't eat pork"),
    ("What do we cook? I'm allergic to nuts, remember that", "I'm allergic to nuts"),
    ("我对花生过敏，记得订四人桌", "我对花生过敏"),
    ("我对花生过敏，请记住，然后帮我订个四人桌", "我对花生过敏"),
    ("我不吃牛肉。请记住这一点，并帮我订餐", "我不吃牛肉"),
    ("帮我订个餐厅，另外记住我不吃辣", "我不吃辣"),
    ("帮我写封邮件，并且记住我的签名是阿强", "我的签名是阿强"),
    ("我姓欧阳，请记住。顺便查一下明天天气", "我姓欧阳"),
    ("明天几点开会？记住我九点前没空", "我九点前没空"),
    ("记住我女儿叫可可，她五岁了。她喜欢什么蛋糕？", "我女儿叫可可，她五岁了"),
]


@pytest.mark.parametrize(("message", "asked"), CASES)
def test_what_is_to_be_remembered_is_the_clause_and_all_of_it(message: str, asked: str) -> None:
    assert asked_to_remember(message) == asked


@pytest.mark.parametrize(
    "message",
    [
        "I'm done here, remember to push it",
        "Remember to book the table for four",
        "It is raining, don't forget to close the window",
        "测试都过了，记得提交",
        "记得订四人桌",
    ],
)
def test_an_errand_beside_which_no_fact_stands_is_nothing_to_remember(message: str) -> None:
    assert rule_on_message(message).action is Action.ALLOW


SUBJECTS = ("the release", "Priya", "my sister", "build 7", "我妈", "这个项目", "周五的会", "小林")
SAYS_EN = ("is not", "never needs", "wants", "says", "likes", "can't take")
SAYS_ZH = ("不是", "从不说", "喜欢", "不能要", "叫")
LAST = ("OK", "please", "thanks", "for me", "later", "lol", "you", "this", "not now", "would you")
LAST_ZH = ("你", "这个", "谢谢", "好吗啡", "拜托", "哈密瓜", "可以", "以后", "吗丁啉", "不行")
BEFORE = ("Remember that {}", "Please keep in mind: {}", "Don't forget that {}", "Make a note: {}", "note to self: {}")
BEFORE_ZH = ("记住{}", "请记住：{}", "别忘了{}", "帮我记一下，{}", "记下来：{}")
BEHIND = ("", ".", "!", ", ok?", ", thanks!", ", please.")
BEHIND_ZH = ("", "。", "！", "，好吗？", "，谢谢。", "，拜托了")


def test_no_word_of_a_clause_is_lost_whatever_stands_around_it() -> None:
    chance = random.Random(11)
    for _ in range(1500):
        subject = chance.choice(SUBJECTS)
        if subject.isascii():
            clause = f"{subject} {chance.choice(SAYS_EN)} {chance.choice(LAST)}"
            message = chance.choice(BEFORE).format(clause) + chance.choice(BEHIND)
        else:
            clause = f"{subject}{chance.choice(SAYS_ZH)}{chance.choice(LAST_ZH)}"
            message = chance.choice(BEFORE_ZH).format(clause) + chance.choice(BEHIND_ZH)
        asked = asked_to_remember(message)
        assert clause in asked, message
        assert asked in message, message
