"""How common a word is in the language at large: in a role of forty memories every word is rare, and most say little.

A word that everybody uses is weak evidence that two texts speak of the same thing, however few memories have it.

Source
    Own lists: everyday words by how often people say them, in two steps. Measured on the recall cases: without them one
    memory in five messages comes for a word like "morning" or 分钟.
"""

from __future__ import annotations

from memd.text.analysis import tokens

VERY_COMMON, COMMON = 0.35, 0.6

_VERY = """
time times day days today tonight tomorrow yesterday morning mornings afternoon evening night nights week weeks
weekend month months year years hour hours minute minutes second seconds moment work works working worked job come
comes coming take takes taking took good better best bad worse worst nice great big small little long short new old
first last next right left people person man woman men women guy friend friends kid kids child children family home
house place room part side end start starts started begin begins stop stops stopped keep keeps keeping put puts set
sets turn turns turned try tries trying tried look looks looking looked find finds finding found feel feels feeling
felt leave leaves leaving call calls called calling ask asks asked talk talks talking talked speak speaks write writes
writing wrote read reads reading show shows showed give gives happen happens happened happening change changes changed
help helps helped helping love loves loved like likes liked hate hates name names word words question questions answer
answers idea ideas problem problems issue issues way ways point case number numbers line lines list lists kind kinds
sort sorts type types bit bits lot whole half full open opens opened close closes closed run runs running move moves
moved play plays playing bring brings buy buys bought pay pays paid sell eat eats eating ate drink drinks sleep sleeps
slept live lives living lived stay stays stayed meet meets met wait waits waiting waited plan plans planned ready sure
fine happy sad hard easy early late later soon fast slow high low hot cold huge real true wrong same different another
only own able most ago here there back again once twice two three four five six seven eight nine ten hundred thousand
many several every each still already yet favourite favorite recommend suggest explain describe translate capital
weather news movie film song book story finally totally absolutely exactly basically anyway instead together alone
everyone everything nothing anything
"""
_COMMON = """
lose lost losing forget forgets forgot forgotten remember gone almost nearly near never miss missed missing raise raised fix fixed
lift visit visited visiting machine room nothing hope wish worry worried enjoy enjoyed spend spent finish finished pick picked pull pulled
push pushed throw hit drop dropped pass passed reach carry hold held catch caught grab join joined share shared count counted add added
list lists note notes plan idea case cases matter reason result results fact truth chance choice step steps level rate amount total
sound sounds noise smell taste touch sight voice talk speech story fun funny nice pretty ugly rich poor safe danger quick quickly slowly
north south east west left upstairs corner edge end middle top summer weather sky air wind fire ice stone wood metal glass plastic
breakfast snack sugar salt oil butter cheese meat fish chicken rice fruit apple bottle cup plate bowl knife glass kitchen bathroom
shirt shoe hat coat ring watch toy ball bike ticket seat bus plane flight hotel ride walk walks walked trip
hour second moment past future century early late often sometimes usually recently lately suddenly finally quickly
water food coffee tea bread milk egg eggs dinner lunch breakfast car bus train road street city town country world
school class teacher student phone computer email mail message messages letter money price cost costs shop store door
window table chair bed kitchen office team boss company business customer customers user users project group meeting
game games music video picture pictures photo photos colour color red blue green black white paper page pages box bag
clothes shoes body head hand hands eye eyes face hair heart health doctor hospital medicine pain dog dogs cat cats
animal tree trees flower flowers sun rain snow sea river mountain garden mother father mum mom dad brother sister son
daughter wife husband parent parents baby boy girl birthday christmas holiday party gift present trip travel summer
winter spring autumn monday tuesday wednesday thursday friday saturday sunday january february march april june july
august september october november december break broke broken fix fixed repair check checks checked test tests save
saves lose lost win won learn learns learned learning teach study build built make cook wear walk drive fly swim sit
stand fall fell grow cut send sends sent receive order orders ordered follow use piece top bottom front middle inside
outside near far full empty free busy tired sick strong weak heavy light dark clean dirty loud quiet simple important
special
"""
_VERY_CHINESE = """
今天 明天 昨天 今晚 晚上 早上 上午 下午 中午 时间 时候 分钟 小时 一天 每天 天天 几天 一周 每周 上周 下周 周末 周一
周二 周三 周四 周五 周六 周日 星期 这周 本周 今年 去年 明年 每年 一年 几年 年前 月份 上月 本月 下月 个月 一次 上次
下次 这次 第一 一直 一样 一种 一款 一部 一首 一本 一张 一点 一起 一下 一定 两个 三个 几个 多个 推荐 介绍 解释 翻译
帮我 告诉 请问 怎样 什么 东西 事情 问题 方法 办法 开始 结束 最近 最后 最好 以前 以后 之前 之后 刚才 现在 马上 喜欢
觉得 知道 认为 希望 想要 打算 准备 需要 应该 可以 可能 能够 不能 不要 不会 不想 没有 还是 已经 正在 发现 出现 发生
完成 进行 使用 继续 选择 决定 比较 非常 特别 真的 其实 大家 别人 自己 朋友 家里 地方 用户 工作 生活 学习 晚饭 早饭
午饭 吃饭 睡觉 起床 出门 回家 回来 过来 出来 起来 下来 上去 进去 名字 叫做 开心 高兴 难过 好吃 好看 好玩 厉害 简单
重要 不同 一般 天气 新闻 首都 电影 歌曲 故事 有点 有些 很多 多少 几点 哪天 哪种 如何 为何
"""
_COMMON_CHINESE = """
手机 电脑 公司 老师 学生 同学 孩子 爸爸 妈妈 父母 家人 老婆 老公 先生 小姐 医生 医院 学校 城市 北京 上海 中国 世界
国家 电话 消息 邮件 照片 视频 音乐 游戏 衣服 鞋子 咖啡 牛奶 鸡蛋 米饭 面包 水果 早餐 午餐 晚餐 钱包 价格 便宜 房子
房间 客厅 厨房 窗户 汽车 火车 地铁 飞机 公交 旅行 旅游 生日 礼物 节日 放假 考试 上课 下课 作业 会议 开会 项目 计划
任务 客户 老板 同事 团队 文件 文档 数据 系统 服务 程序 代码 修改 测试 检查 打开 关闭 下载 安装 设置 身体 头疼 感冒
健康 运动 跑步 睡眠 心情 颜色 红色
"""


def _weights() -> dict[str, float]:
    found: dict[str, float] = {}
    for words, weight in (
        (_COMMON, COMMON),
        (_COMMON_CHINESE, COMMON),
        (_VERY, VERY_COMMON),
        (_VERY_CHINESE, VERY_COMMON),
    ):
        for word in words.split():
            for token in tokens(word, unigrams=False):
                found[token] = weight
    return found


WEIGHTS = _weights()


def telling_words(text: str) -> float:
    """Return how much a key tells in general: 0.35 for one of small words alone, up to 1."""
    found = tokens(text, unigrams=len(text) == 1)
    return max(map(telling, found)) ** 0.5 if found else VERY_COMMON


def telling(token: str) -> float:
    """Return how much a token tells in general, from VERY_COMMON up to 1."""
    return WEIGHTS.get(token, 1.0)
