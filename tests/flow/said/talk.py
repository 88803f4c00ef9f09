"""Ordinary talk over some weeks, in English and in Chinese; what is asked of it later, and what asks for nothing in it.

All of it is made up for this. A session is a day and lines: `u` what the person says, `a` what the agent does.
"""

from __future__ import annotations

ENGLISH = {
    "2026-01-12": [
        ("u", "Morning! The plumber finally came. He put in a new valve under the kitchen sink and charged 140 euros."),
        ("a", "Good that it is done. Would you like me to draft a note to your landlord about the bill?"),
        ("u", "Yes please, he is called Mr Brandt and he hates long letters."),
        (
            "a",
            "Here is a short note: Dear Mr Brandt, please find enclosed the plumber's bill of 140 euros. Kind regards.",
        ),
    ],
    "2026-01-15": [
        ("u", "I have to choose a colour for the hallway. Any thoughts?"),
        ("a", "For a narrow hallway a pale warm grey works well; it hides marks and keeps the light."),
        ("u", "OK, I went with sage green in the end, two tins from the shop on Mill Road."),
        ("a", "Sage green will look calm. Two coats should do."),
    ],
    "2026-01-20": [
        ("u", "The vet says Biscuit is allergic to chicken, so we are on salmon kibble now."),
        ("a", "That is common. Give it six weeks before judging whether the itching stops."),
        ("u", "She also weighed in at 4.2 kilos which is fine apparently."),
        ("a", "That is a healthy weight for a small cat."),
    ],
    "2026-01-27": [
        ("u", "Left the spare key with Oksana on the third floor, since I keep locking myself out."),
        ("a", "Sensible. Should I add it to the list for the house sitter?"),
        ("u", "No need. How do I get candle wax out of a tablecloth?"),
        ("a", "Freeze it, scrape off what you can, then iron it between sheets of kitchen paper."),
    ],
    "2026-02-03": [
        ("u", "Our team standup moved to half past nine because of the folks in Lisbon."),
        ("a", "Noted for the agenda. Do you want the reminder moved too?"),
        ("u", "Sure. The demo for the steering group is being given by Priya, not by me, thank goodness."),
        ("a", "That gives you time for the migration plan."),
    ],
    "2026-02-09": [
        ("u", "We tried the new Georgian place by the station, the khachapuri was superb but it took an hour."),
        ("a", "Slow but good, then. Worth a second visit on a quiet evening."),
        ("u", "Yeah. For the staging server we settled on port 8443 behind the proxy."),
        ("a", "I will use 8443 in the examples from here."),
    ],
    "2026-02-14": [
        ("a", "What size are your walking boots?"),
        ("u", "Forty-one, but a half size up in Italian brands."),
        ("a", "Then look for 41.5 in the Scarpa ones."),
        ("u", "Rented a cabin near Inverness for the second week of May, it sleeps four."),
    ],
    "2026-02-21": [
        ("u", "Dentist found a crack in the upper left molar, crown fitting is on the 12th of March."),
        ("a", "Ask whether the old filling has to come out in the same sitting."),
        ("u", "My sister Hannah is bringing the projector on Saturday, so no need to rent one."),
        ("a", "One thing fewer to carry."),
    ],
}
CHINESE = {
    "2026-01-13": [
        ("u", "昨天把冬天的被子都送到楼下干洗店了，周五才能取，一共八十六块。"),
        ("a", "好的，周五记得带上取衣单。"),
        ("u", "取衣单我夹在冰箱上的磁贴下面了。"),
        ("a", "这样不容易丢。"),
    ],
    "2026-01-18": [
        ("u", "物业说地下车库下个月要重新划线，我们家的车位先换到B区四十七号。"),
        ("a", "临时车位一般会给一张新的通行卡。"),
        ("u", "对，卡已经领了。晚饭做什么好呢？"),
        ("a", "可以做番茄炖牛腩，配一个清炒时蔬。"),
    ],
    "2026-01-24": [
        ("u", "我爸的助听器换成了蓝牙的，说明书太厚他看不懂，是老周帮忙调好的。"),
        ("a", "老周真热心。电池续航怎么样？"),
        ("u", "充一次能用三十个小时左右。"),
        ("a", "那每天睡前充电就够了。"),
    ],
    "2026-02-02": [
        ("u", "年会的抽奖我居然中了一台空气炸锅，送给表姐了。"),
        ("a", "表姐一定很高兴。"),
        ("u", "项目的测试库迁到了苏州机房，旧的月底就关。"),
        ("a", "那连接串要在月底之前改好。"),
    ],
    "2026-02-08": [
        ("u", "小区门口新开的那家面馆，老板是延安人，臊子面特别地道。"),
        ("a", "下次可以试试他们的凉皮。"),
        ("u", "健身卡停了，膝盖有点积水，医生让歇六个星期。"),
        ("a", "先做些不负重的活动，比如游泳。"),
    ],
    "2026-02-16": [
        ("a", "你给阳台选的是什么花？"),
        ("u", "茉莉和两盆迷迭香。"),
        ("a", "都喜欢太阳，放在南边就好。"),
        ("u", "女儿的钢琴老师改成了叶老师，每周四傍晚六点上课。"),
    ],
}
# What is asked, and words of the turn that answers.
ASKED = [
    ("How much did the plumber charge me?", "140 euros"),
    ("What's my landlord's name again?", "Brandt"),
    ("What colour did I pick for the hallway?", "sage green"),
    ("Where did I buy the paint?", "Mill Road"),
    ("What can't Biscuit eat?", "chicken"),
    ("How heavy was the cat at the vet?", "4.2"),
    ("Who has my spare key?", "Oksana"),
    ("When is our standup now?", "half past nine"),
    ("Who is presenting the demo to the steering group?", "Priya"),
    ("Which restaurant by the station did we try?", "Georgian"),
    ("what port is staging on?", "8443"),
    ("What shoe size do I need for walking boots?", "Forty-one"),
    ("Where are we staying in May?", "Inverness"),
    ("When do I get the crown?", "12th of March"),
    ("Who is bringing the projector?", "Hannah"),
    ("How did you say I get wax out of a tablecloth?", "Freeze"),
    ("被子什么时候能取？", "周五"),
    ("取衣单我放哪儿了？", "冰箱"),
    ("我们家的车位现在是几号？", "四十七"),
    ("我爸的助听器是谁帮忙调的？", "老周"),
    ("助听器充一次电能用多久？", "三十个小时"),
    ("年会我抽到了什么？", "空气炸锅"),
    ("测试库迁到哪里了？", "苏州"),
    ("门口那家面馆的老板是哪里人？", "延安"),
    ("我为什么停了健身卡？", "膝盖"),
    ("阳台上我种了什么花？", "茉莉"),
    ("女儿的钢琴课是星期几？", "周四"),
    ("钢琴老师姓什么？", "叶老师"),
]
# What asks, and nothing of the talk answers it; what does not ask at all.
NOT_THERE = [
    "What is my brother's phone number?",
    "Where did I park the car today?",
    "When does my passport expire?",
    "Which gate does my flight leave from?",
    "What was the name of the book I was reading?",
    "Did I water the tomatoes?",
    "How many litres does our boiler hold?",
    "我的护照什么时候到期？",
    "我上次体检是哪一天？",
    "行李箱的密码是多少？",
    "我弟弟在哪个城市上班？",
    "我把雨伞借给谁了？",
]
ELSEWHERE = [
    "How do I reverse a list in Python?",
    "What is the capital of Mongolia?",
    "Can you explain how a heat pump works?",
    "How are you today?",
    "What's the difference between TCP and UDP?",
    "Why is the sky blue?",
    "Is 97 a prime number?",
    "What should I cook tonight?",
    "Can you write a haiku about rain?",
    "How long do I boil an egg?",
    "Could you check this sentence for mistakes: he go to school?",
    "What does `git rebase --onto` do?",
    "光合作用是怎么回事？",
    "怎么把图片压缩到一兆以下？",
    "今天星期几？",
    "你觉得学法语难吗？",
    "冒泡排序的时间复杂度是多少？",
    "红烧肉要炖多久？",
    "能帮我写一句生日祝福吗？",
    "月亮为什么会有圆缺？",
]
TOLD = [
    "Thanks, that works now.",
    "Fix the typo in the second paragraph.",
    "I'm on the bus, back in ten minutes.",
    "Translate this: the meeting is at noon.",
    "OK great, let's go on with the next file.",
    "The cat is asleep on my keyboard.",
    "Rename the function to load_all and run the tests.",
    "Haha, good one.",
    "好的，谢谢你。",
    "把这段话改得更正式一点。",
    "我先去开会了，回来再说。",
    "今天天气真不错。",
    "继续写下一节。",
    "嗯嗯，明白了。",
]
