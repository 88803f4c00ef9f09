"""More ordinary talk, of other matters, on which nothing was set: what talk.py is held against."""

from __future__ import annotations

ENGLISH = {
    "2026-03-02": [
        ("u", "The bike is at Harrow Cycles for a new chain and brake pads, ready on Thursday after four."),
        ("a", "Do you want me to put the pickup in the plan for Thursday?"),
        ("u", "Please. They want 65 pounds in cash."),
        ("a", "Done. I put a note about the cash there as well."),
    ],
    "2026-03-05": [
        ("u", "Grandma's recipe uses buttermilk, not yoghurt, and she bakes it at 180 for fifty minutes."),
        ("a", "That explains the softer crumb."),
        ("u", "We agreed with the neighbours that they feed the hens while we are in Leeds."),
        ("a", "Good neighbours are worth a lot."),
    ],
    "2026-03-11": [
        ("u", "The quarterly report goes to Ingrid in controlling this time, since Tom is on parental leave."),
        ("a", "I will address the cover mail to Ingrid."),
        ("u", "By the way the printer on our floor only takes the black cartridges numbered 305."),
        ("a", "Good to know before the next order."),
    ],
    "2026-03-17": [
        ("a", "Which tent did you end up buying?"),
        ("u", "The two-person one from Vaude, in green."),
        ("a", "Light and sturdy."),
        ("u", "My physio, Miriam, wants me to do the calf stretches twice a day."),
    ],
}
CHINESE = {
    "2026-03-03": [
        ("u", "洗衣机漏水，维修师傅姓段，换了进水阀收了两百二。"),
        ("a", "保修期内的话可以要发票。"),
        ("u", "发票他说下周寄到我公司。"),
        ("a", "收到后记得拍照留底。"),
    ],
    "2026-03-09": [
        ("u", "儿子春游改到四月十七号去植物园，要带水壶和帽子。"),
        ("a", "那天要不要准备便当？"),
        ("u", "学校统一订饭，不用带。"),
        ("a", "那就轻松多了。"),
    ],
    "2026-03-15": [
        ("u", "小组会以后由曾姐主持，周会纪要轮流写，这周轮到我。"),
        ("a", "我可以先给你一个纪要的提纲。"),
        ("u", "备用的路由器密码贴在机顶盒背面了。"),
        ("a", "放在背面不容易被看到。"),
    ],
}
ASKED = [
    ("When can I collect the bike?", "Thursday"),
    ("How much cash do the bike people want?", "65 pounds"),
    ("Does grandma use yoghurt or buttermilk?", "buttermilk"),
    ("Who looks after the hens while we're away?", "neighbours"),
    ("Who gets the quarterly report now?", "Ingrid"),
    ("which cartridge does our printer need?", "305"),
    ("Which tent do I have?", "Vaude"),
    ("What did my physio tell me to do?", "calf stretches"),
    ("修洗衣机的师傅姓什么？", "段"),
    ("洗衣机修理花了多少钱？", "两百二"),
    ("发票会寄到哪里？", "公司"),
    ("春游是哪天？", "十七号"),
    ("春游要带便当吗？", "统一订饭"),
    ("小组会现在谁主持？", "曾姐"),
    ("这周的纪要轮到谁写？", "轮到我"),
    ("路由器的密码我贴在哪里了？", "机顶盒"),
]
NOT_THERE = [
    "What's the wifi password at the office?",
    "When is my mother's birthday?",
    "How tall is the bookshelf in my study?",
    "Which bank is my mortgage with?",
    "我的社保卡放在哪里了？",
    "我爱人对什么药过敏？",
    "车险是哪天到期？",
    "我表弟的婚礼在哪个酒店？",
]
ELSEWHERE = [
    "What is a monad?",
    "How do I centre a div?",
    "Who wrote Middlemarch?",
    "Can you recommend a film for tonight?",
    "Is it safe to eat raw mushrooms?",
    "怎么用正则匹配邮箱？",
    "牛顿第二定律是什么？",
    "推荐一部纪录片好吗？",
    "水的沸点为什么会变？",
    "这句话用英语怎么说？",
]
TOLD = [
    "Looks good, merge it.",
    "I'm going for lunch.",
    "Make the heading shorter.",
    "Perfect, thank you!",
    "先这样吧，明天再弄。",
    "把第三段删掉。",
    "好，就按这个来。",
    "哈哈哈，太逗了。",
]
