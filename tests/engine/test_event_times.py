"""What a text's own phrases of time mean when it is written: the last or the next, a beginning, an end, or nothing."""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from memd.engine.keep.event.resolve import READ_CHARS, is_errand, phrases, resolve
from memd.engine.keep.event.written import asked_times, asks_for_a_time_alone, resolve_written
from memd.engine.keep.talk.dates import with_dates

# A Wednesday, in the zone of whoever tells it.
BERLIN = datetime(2026, 11, 25, 10, 30, tzinfo=ZoneInfo("Europe/Berlin"))
SHANGHAI = datetime(2026, 11, 25, 10, 30, tzinfo=ZoneInfo("Asia/Shanghai"))

# Each with its event's days (the last of a range is in it), since when and until when it holds, or nothing.
ENGLISH = (
    # what happened
    ("Yesterday I signed the lease for the studio.", "2026-11-24"),
    ("doc put me on metformin in september", "2026-09-01..2026-09-30"),
    ("me and Sue split up on saturday", "2026-11-21"),
    # what is settled for a day is ahead where that is near
    ("They moved my biometrics thing, dec 17 same time.", "2026-12-17"),
    ("We got the small hall instead on jan 9.", "2027-01-09"),
    ("I got my degree on dec 17.", "2025-12-17"),
    ("We moved here on jan 9.", "2026-01-09"),
    # as it is typed in a hurry
    ("council offered us a flat so im movin there 1st of january", "2027-01-01"),
    ("they gave me a date for me knee op, its 14th of january at the infirmary", "2027-01-14"),
    ("were goin to whitby in february", "2027-02-01..2027-02-28"),
    ("we're off to Whitby for our anniversary 12th to 15th of February", "2027-02-12..2027-02-15"),
    # as it is said in Ireland
    ("I had my scan yesterday fortnight.", "2026-11-10"),
    ("He rang a week ago last Tuesday about the will.", "2026-11-17"),
    ("My passport runs out this day fortnight.", "2026-12-09"),
    ("A week tomorrow I'm meeting the solicitor.", "2026-12-03"),
    ("We're all at Sorcha's for St Stephen's Day.", "2026-12-26"),
    ("We'll be home at Hogmanay.", "2026-12-31"),
    ("We have a party for Little Christmas.", "2027-01-06"),
    ("I go to mass of a Sunday morning.", ""),
    # as it is dictated: a day in words
    ("The winery opens again on December twelfth.", "2026-12-12"),
    ("My exam is on the tenth of January.", "2027-01-10"),
    ("I finish there on thirty one july.", "2027-07-31"),
    ("We're going to Kauai February eighth through the fifteenth.", "2027-02-08..2027-02-15"),
    ("My licence is good till December thirty-first of 2027.", "until 2028-01-01"),
    ("This was our first December in the house.", "2025-12-01..2025-12-31"),
    ("I will second that motion in April.", "2027-04-01..2027-04-30"),
    # three days in a row are those of every week
    ("Food is Friday, Saturday, Sunday, one till half eight.", ""),
    ("I went out Friday, Saturday and Sunday.", "2026-11-20"),
    # what they would do is ahead of when they said so
    ("They said they'd tell us by December 12th.", "2026-12-12"),
    # how long is no habit, and from when is not when
    ("We're flying on the 11th of February for ten nights.", "2027-02-11"),
    ("The rent goes up to 1,200 from January.", "since 2027-01-01"),
    ("From March we live in Cork.", "since 2027-03-01"),
    ("The photos are from March.", ""),
    ("Tomorrow week 2 of chemo starts.", "2026-11-26"),
    ("We were in Rome from January to March.", "2026-01-01..2026-03-31"),
    ("We adopted Miso two days ago.", "2026-11-23"),
    ("Last night the boiler broke down.", "2026-11-24..2026-11-25"),
    ("My sister moved to Porto last month.", "2026-10-01..2026-10-31"),
    ("I quit smoking last Friday.", "2026-11-20"),
    ("On Monday I handed in my notice.", "2026-11-23"),
    ("I met Clara at the swim meet on Saturday.", "2026-11-21"),
    ("The roof was repaired in August.", "2026-08-01..2026-08-31"),
    ("I ran my first half marathon on 4 October.", "2026-10-04"),
    ("We got married on June 6th, 2015.", "2015-06-06"),
    ("He was born on 1987-02-14.", "1987-02-14"),
    ("The studio opened in 2019.", "2019-01-01..2019-12-31"),
    ("I had my wisdom teeth out this morning.", "2026-11-25"),
    ("Dad had surgery the day before yesterday.", "2026-11-23"),
    ("I've been to Lisbon in May and loved it.", "2026-05-01..2026-05-31"),
    ("Over the weekend we painted the hallway.", "2026-11-21..2026-11-22"),
    ("Tom, who I saw on Tuesday, sold his boat.", "2026-11-24"),
    ("The deploy on Sunday failed because the disk was full.", "2026-11-22"),
    ("Yesterday's build was red.", "2026-11-24"),
    ("Last Christmas we stayed at my aunt's.", "2025-12-25"),
    ("The contract was terminated in Q2.", "2026-04-01..2026-06-30"),
    ("I broke my wrist last winter.", "2025-12-01..2026-02-28"),
    ("We spent the summer in Umbria in 2022.", "2022-01-01..2022-12-31"),
    ("From 2012 to 2016 I studied in Graz.", "2012-01-01..2016-12-31"),
    ("I didn't sleep at all last night.", "2026-11-24..2026-11-25"),
    # what will
    ("Tomorrow I pick up the new glasses.", "2026-11-26"),
    ("On Friday I have an exam in statics.", "2026-11-27"),
    ("I'm flying to Oslo on Sunday.", "2026-11-29"),
    ("The landlord comes by next Tuesday.", "2026-12-01"),
    ("My parents will visit in April.", "2027-04-01..2027-04-30"),
    ("We're getting married on 12 June.", "2027-06-12"),
    ("Dentist appointment on 3 December at 9:30 am.", "2026-12-03 09:30"),
    ("I booked a table at Luigi's for Saturday.", "2026-11-28"),
    ("The release is scheduled for January 15.", "2027-01-15"),
    ("The review has been moved from Thursday to Monday.", "2026-11-30"),
    ("Don't forget that rent is due on Tuesday.", "2026-12-01"),
    ("The parcel won't arrive until Saturday.", "2026-11-28"),
    ("Exam on Friday, driving test on Monday.", "2026-11-27"),
    ("Last week we agreed to ship on December 10.", "2026-12-10"),
    ("In three days my passport is ready.", "2026-11-28"),
    ("I need to hand in the thesis by Monday.", "2026-11-30"),
    ("The conference runs from Friday to Sunday.", "2026-11-27..2026-11-29"),
    ("Next week I'm at a workshop in Basel.", "2026-11-30..2026-12-06"),
    ("At Easter we go skiing.", "2027-03-28"),
    ("The choir sings on Christmas Eve.", "2026-12-24"),
    ("Grandma's birthday party is on Saturday.", "2026-11-28"),
    ("The meeting isn't on Thursday but on Friday.", "2026-11-27"),
    ("My probation ends in two weeks.", "2026-12-06..2026-12-12"),
    ("Tom said he will bring the ladder on Saturday.", "2026-11-28"),
    # since and until
    ("I have lived in Ghent since 2014.", "since 2014-01-01"),
    ("Since last Monday I work part time.", "since 2026-11-23"),
    ("She has been vegetarian since March.", "since 2026-03-01"),
    ("From Monday on the office is closed.", "since 2026-11-30"),
    ("Starting in January I work four days.", "since 2027-01-01"),
    ("As of yesterday the repo uses pnpm.", "since 2026-11-24"),
    ("I'm on parental leave until March.", "until 2027-03-01"),
    ("The flat is sublet until the end of February.", "until 2027-03-01"),
    ("I'm at my parents' until Sunday.", "until 2026-11-30"),
    ("The promotion runs through Friday.", "until 2026-11-28"),
    ("I haven't drunk coffee since 2020.", "since 2020-01-01"),
    ("I have been learning Czech for the past two years.", "since 2024-11-25"),
    # nothing
    ("I go to the market every Saturday.", ""),
    ("We usually meet on Thursday.", ""),
    ("I always run in the morning.", ""),
    ("On Sundays we eat at my mother's.", ""),
    ("Each Christmas we fly to Madeira.", ""),
    ("My birthday is on 3 March.", ""),
    ("Our anniversary is in September.", ""),
    ("I love autumn and I hate January.", ""),
    ("Friday is my favourite day.", ""),
    ("If it rains on Saturday we stay in.", ""),
    ("I wish I had called yesterday.", ""),
    ('She wrote "I will be there tomorrow, I promise you that".', ""),
    ("Did I sign the lease yesterday?", ""),
    ("I don't work on Friday.", ""),
    ("Standup is at 9:15 every day.", ""),
    ("The log is at var/2026-11-20.log and it grows.", ""),
    ("I prefer tea in the afternoon.", ""),
    ("Our API returns 2026 rows at most.", ""),
    ("May I suggest spring onions?", ""),
)
CHINESE = (
    ("证是明年三月十五到期", "2027-03-15"),
    ("洗碗的找到了，姓唐，一月一号来", "2027-01-01"),
    ("他一月五号走了", "2026-01-05"),
    ("小周要结婚了 正月初八", "2027-02-13"),
    # some days in a row, of a month that was named before them, and without 号
    ("下个月21到23号去上海摆摊", "2026-12-21..2026-12-23"),
    ("十二月去金泽，跟妹妹一起，五号到十号", "2026-12-05..2026-12-10"),
    ("佩容有了，预产期十月十五", "2027-10-15"),
    ("我转报成都站，6月13", "2027-06-13"),
    ("下个月21到99号去上海", ""),
    ("五月10周年店庆", "2027-05-01..2027-05-31"),
    ("三月十分忙", "2027-03-01..2027-03-31"),
    ("她农历八月十五过生日", ""),
    ("三月三十个人来上课", "2027-03-01..2027-03-31"),
    # what was agreed is past, its day is not
    ("新系统是12月25号上线，客户那边也点头了。", "2026-12-25"),
    ("元旦领的证", "2026-01-01"),
    ("健身周一、三、五晚上", ""),
    # every week, and how old somebody is this year
    ("我每周二、周五晚上去江滩跑步，一次5公里。", ""),
    ("周一的站会九点半开始", ""),
    ("我叫林悦，今年35，在武汉工作", ""),
    ("周二体检查出脂肪肝", "2026-11-24"),
    ("1月22到27去哈尔滨", "2027-01-22..2027-01-27"),
    ("昨天我签了租房合同。", "2026-11-24"),
    ("前天把车修好了。", "2026-11-23"),
    ("上个月我们搬家到了苏州。", "2026-10-01..2026-10-31"),
    ("上周五去了趟医院。", "2026-11-20"),
    ("周一交了辞职信。", "2026-11-23"),
    ("周末去爬了山。", "2026-11-21..2026-11-22"),
    ("三天前奶奶出院了。", "2026-11-22"),
    ("去年三月我拿到了驾照。", "2025-03-01..2025-03-31"),
    ("八月换了新手机。", "2026-08-01..2026-08-31"),
    ("十月四号跑完了第一个半马。", "2026-10-04"),
    ("2015年6月6日我们结婚。", "2015-06-06"),
    ("我是2012年毕业的。", "2012-01-01..2012-12-31"),
    ("国庆节带孩子去过西安。", "2026-10-01..2026-10-07"),
    ("昨晚和老同学吃了火锅。", "2026-11-24..2026-11-25"),
    ("今天早上量了血压，有点高。", "2026-11-25"),
    ("上周没睡好。", "2026-11-16..2026-11-22"),
    ("今年五月在杭州见到了导师。", "2026-05-01..2026-05-31"),
    ("明天去取眼镜。", "2026-11-26"),
    ("下周三体检。", "2026-12-02"),
    ("周五考试。", "2026-11-27"),
    ("周日飞成都。", "2026-11-29"),
    ("约了周六看房。", "2026-11-28"),
    ("周四约了牙医。", "2026-11-26"),
    ("三月五号要去北京出差。", "2027-03-05"),
    ("六月十二号结婚。", "2027-06-12"),
    ("婚礼定在明年五月一号。", "2027-05-01"),
    ("评审从周四改到下周一。", "2026-11-30"),
    ("别忘了周二交房租。", "2026-12-01"),
    ("下个月房东要来检查。", "2026-12-01..2026-12-31"),
    ("春节打算回老家。", "2027-02-06..2027-02-12"),
    ("两周后做手术。", "2026-12-06..2026-12-12"),
    ("后天下午三点面试。", "2026-11-27 15:00"),
    ("不是周五，是周六聚餐。", "2026-11-28"),
    ("下周一开始上班。", "2026-11-30"),
    ("周五之前交报告。", "2026-11-27"),
    ("会议不在周四，在周五。", "2026-11-27"),
    ("上周我们决定十二月十号上线。", "2026-12-10"),
    ("从2014年起我住在南京。", "since 2014-01-01"),
    ("自去年三月以来一直吃素。", "since 2025-03-01"),
    ("花园的门三月份开始吱吱响。", "since 2026-03-01"),
    ("从下周一开始在家办公。", "since 2026-11-30"),
    ("从上个月开始学钢琴。", "since 2026-10-01"),
    ("过去两年一直在学捷克语。", "since 2024-11-25"),
    ("房子租到明年三月。", "until 2027-04-01"),
    ("这个优惠到周日为止。", "until 2026-11-30"),
    ("我休假到周五。", "until 2026-11-28"),
    ("每周五打羽毛球。", ""),
    ("每年春节都回老家。", ""),
    ("我一般周三健身。", ""),
    ("平时周末睡懒觉。", ""),
    ("我的生日是五月三号。", ""),
    ("我们的结婚纪念日在九月。", ""),
    ("我最喜欢秋天和国庆节。", ""),
    ("如果周六下雨就不去了。", ""),
    ("他说“我明天一定来”。", ""),
    ("昨天我签合同了吗？", ""),
    ("周五不上班。", ""),
    ("我总是在早上跑步。", ""),
    ("每个月五号交房租。", ""),
    ("正月初八开门。", "2027-02-13"),
    ("年初二手车卖了。", "2026-01-01..2026-03-31"),
    ("不是周一休息了 从元旦起我们做满七天", "since 2027-01-01"),
    ("从去年三月起我就不吃肉了", "since 2025-03-01"),
    ("从元旦起我不加班了", "since 2027-01-01"),
    ("聽日我要覆診", "2026-11-26"),
    ("琴日我搬咗屋", "2026-11-24"),
)


def told(text: str, now: datetime) -> str:
    """Return what a text tells, as the examples have it."""
    found = resolve(text, now)
    event, parts = found.event, []
    if event is not None:
        last = event.end - timedelta(seconds=1)
        days = f"{event.start.date()}..{last.date()}" if last.date() != event.start.date() else str(event.start.date())
        brief = event.end - event.start <= timedelta(hours=2)
        parts.append(f"{event.start:%Y-%m-%d %H:%M}" if brief else days)
    parts += [f"since {found.since.date()}"] if found.since else []
    parts += [f"until {found.until.date()}"] if found.until else []
    return ", ".join(parts)


@pytest.mark.parametrize(("text", "means"), ENGLISH)
def test_an_english_text_tells_its_time(text: str, means: str) -> None:
    assert told(text, BERLIN) == means


@pytest.mark.parametrize(("text", "means"), CHINESE)
def test_a_chinese_text_tells_its_time(text: str, means: str) -> None:
    assert told(text, SHANGHAI) == means


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("What happened on Friday?", ["2026-11-20"]),
        ("What do I have to do on Friday?", ["2026-11-20", "2026-11-27"]),
        ("What's on next Friday?", ["2026-12-04"]),
        ("Any plans for July?", ["2027-07-01"]),
        ("What did we do in July?", ["2026-07-01"]),
        ("What happened on 24 November?", ["2026-11-24"]),
        ("七月有什么安排？", ["2027-07-01"]),
        ("七月我们去了哪里？", ["2026-07-01"]),
        ("昨天发生了什么？", ["2026-11-24"]),
        ("周五有什么安排？", ["2026-11-27"]),
        ("周五我做了什么？", ["2026-11-20"]),
    ],
)
def test_a_question_asks_of_the_last_or_the_next_such_time(question: str, asked: list[str]) -> None:
    spans = asked_times(question, BERLIN)
    assert [str(datetime.fromtimestamp(one.start_s, BERLIN.tzinfo).date()) for one in spans] == asked
    only = asks_for_a_time_alone(question, spans)
    assert only is ("去了哪里" not in question)


def test_a_search_for_something_at_a_time_is_no_question_about_the_time_alone() -> None:
    text = "the deploy of yesterday"
    assert not asks_for_a_time_alone(text, asked_times(text, BERLIN))
    assert not asks_for_a_time_alone("what happened", ())


@pytest.mark.parametrize(
    ("text", "errand"),
    [
        ("Call with the tax office on Friday at 3 pm.", True),
        ("周五下午开会。", True),
        ("下周一取快递。", True),
        ("I have to call the tax office tomorrow (2026-11-26).", True),
        ("我明天（2026-11-26）要交房租。", True),
        ("On Friday we fly to Madeira for our honeymoon.", False),
        ("下周三体检。", False),
        ("Call with Ann on Friday. She prefers mornings.", False),
        ("Meeting on Friday, and I am allergic to nuts, so no cake.", False),
    ],
)
def test_a_bare_errand_is_known_from_what_is_worth_keeping(text: str, errand: bool) -> None:
    assert is_errand(text) is errand


@pytest.mark.parametrize(
    ("text", "day"),
    [("复查推迟到 7 月 27 号了", "2027-07-27"), ("复查推迟到7月27号了", "2027-07-27"), ("我妈上个月中风了", "2026-10-01"), ("我妈上个月中旬出院的", "2026-10-11")],
)  # fmt: skip
def test_blanks_beside_figures_and_a_stroke_do_not_change_the_day(text: str, day: str) -> None:
    found = resolve(text, datetime(2026, 11, 29, 15, tzinfo=ZoneInfo("Asia/Shanghai"))).event
    assert found is not None
    assert str(found.start.date()) == day


def test_a_text_that_goes_on_is_read_no_further_than_is_said() -> None:
    """However long: of the sentences that name a time, the first few alone."""
    habits = "I swim every Friday. " * 200
    assert resolve(habits + "Yesterday I drowned a phone.", BERLIN).event is None
    plain = "The kettle is green and the cups are blue. " * 90
    found = resolve(plain + "Yesterday I drowned a phone.", BERLIN)
    assert len(plain) > 10 * READ_CHARS
    assert found.event is not None
    assert str(found.event.start.date()) == "2026-11-24"


@pytest.mark.parametrize(
    "text",
    [
        "Bin day is Tuesday.", "bin day's tuesday", "My day off is Friday.", "The bins go out on Thursday.", "payday's on the 25th",
        "I get paid on the 15th.", "Rent is due on the 1st.", "垃圾日是周二", "我周三休息", "休息还是周三周日", "所以周末在奶茶店兼职", "周三晚上我固定上吉他课", "I do a Sunday shift at the pub", "周六是我的休息日", "店里周一休息", "25号发工资",
        "店休从周一换成周二了", "招了个帮工叫小王，周末才来。", "Thursday afternoons a care aide comes.", "Friday nights we play cards.",
    ],
)  # fmt: skip
def test_a_day_that_is_named_by_what_comes_with_it_is_no_event(text: str) -> None:
    assert resolve(text, BERLIN).event is None


@pytest.mark.parametrize(
    "text",
    [
        "Moving day is Friday.",
        "Bin day is Tuesday this week.",
        "The big day is Saturday.",
        "搬家日是周五",
        "我下周三休息",
        "周三休息一天",
    ],
)
def test_a_day_that_comes_once_is_an_event(text: str) -> None:
    assert resolve(text, BERLIN).event is not None


def test_the_phrases_of_a_text_are_what_names_its_times() -> None:
    assert phrases("Yesterday I ran.", BERLIN) == phrases("Yesterday I ran far.", BERLIN) == ("yesterday",)
    assert phrases("Last Friday I ran.", BERLIN) != phrases("Yesterday I ran.", BERLIN)


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/New_York", "Asia/Shanghai", "Pacific/Chatham"])
def test_a_day_is_one_of_the_zone_it_is_told_in_also_where_clocks_are_set(zone: str) -> None:
    for day in ("2026-03-29", "2026-10-25", "2026-11-01", "2026-03-08"):
        now = datetime.fromisoformat(f"{day}T12:00:00").replace(tzinfo=ZoneInfo(zone))
        found = resolve("Today I planted the pear tree.", now).event
        assert found is not None
        assert found.start.isoformat()[:19] == f"{day}T00:00:00"
        assert found.end.date() == found.start.date() + timedelta(days=1)
        assert found.start.utcoffset() == found.start.replace(tzinfo=ZoneInfo(zone)).utcoffset()


@pytest.mark.parametrize(
    ("said", "day"),
    [
        ("周五我交了论文。", "2026-11-20"),
        ("国庆我去了青岛。", "2026-10-01"),
        ("六月我搬家了。", "2026-06-01"),
        ("三月五号我换了工作。", "2026-03-05"),
        ("On Monday I handed in my notice.", "2026-11-23"),
        ("Over Easter we moved.", "2026-04-05"),
        ("周五我要交论文。", "2026-11-27"),
        ("I'm flying to Oslo on Sunday.", "2026-11-29"),
    ],
)
def test_what_has_its_date_written_behind_it_is_of_that_date_whenever_it_is_read(said: str, day: str) -> None:
    text = with_dates(said, SHANGHAI)
    assert text != said
    for read in (SHANGHAI, SHANGHAI + timedelta(days=20)):
        event = resolve_written(text, read).event
        assert event is not None
        assert event.start.date().isoformat() == day, (text, read)


def test_since_a_month_that_is_written_is_since_that_month() -> None:
    for said in ("四月起在大理的新公寓安顿下来了。", "I have lived in Linz since April."):
        text = with_dates(said, SHANGHAI)
        assert text != said
        since = resolve_written(text, SHANGHAI).since
        assert since is not None
        assert since.date().isoformat() == "2026-04-01", text


@pytest.mark.parametrize(
    "text", ["The concert (2026-12-05) is in Graz.", "周五（9999-99-99）我交了", "(2026-11-20)", "a （2026"]
)
def test_dates_in_brackets_that_stand_alone_or_are_none_break_nothing(text: str) -> None:
    resolve_written(text, SHANGHAI)


def test_sentences_count_by_their_length_towards_what_is_read() -> None:
    habit = "Every Monday morning we go through the list of open questions with the whole team, one after the other, and nobody leaves. "
    assert resolve(habit + "Yesterday the boiler broke down.", BERLIN).event is not None
    assert resolve(habit * 2 + "Yesterday the boiler broke down.", BERLIN).event is None


@pytest.mark.parametrize("text", ["Team meeting on Friday, in room 4.", "周五下午三点，和房东开会。"])
def test_an_errand_may_pause_once(text: str) -> None:
    assert is_errand(text)


@pytest.mark.parametrize(
    ("now", "text", "dated"),
    [
        ("2026-03-12", "下个月长沙有个展会 十六到十八号", "下个月（2026-04）长沙有个展会 十六到十八号（2026-04-16 至 2026-04-18）"),
        ("2026-10-16", "十二月去首尔，五号到十号", "十二月去首尔，五号到十号（2026-12-05 至 2026-12-10）"),
        ("2026-07-29", "八月一号我就调去门诊了", "八月一号（2026-08-01）我就调去门诊了"),
        ("2026-06-10", "三月我就辞职了", "三月（2026-03）我就辞职了"),
        ("2026-10-03", "七月起在公寓做保安", "七月（2026-07）起在公寓做保安"),
        ("2026-04-20", "房贷三月份起降了 扣钱还是十五号", "房贷三月份（2026-03）起降了 扣钱还是十五号（2026-04-15）"),
        ("2026-06-10", "登记的日子推咗去二十六号朝早", "登记的日子推咗去二十六号（2026-06-26）朝早"),
        ("2026-07-28", "这个月还在，撑到月底而已", "这个月（2026-07）还在，撑到月底（2026-07-22 至 2026-07-31）而已"),
        ("2026-11-30", "十二月起在新公司上班", "十二月（2026-12）起在新公司上班"),
        ("2026-05-12", "经理四月底调咗去厂里", "经理四月底（2026-04-21 至 2026-04-30）调咗去厂里"),
        ("2026-06-03", "电梯五月里装的", "电梯五月（2026-05）里装的"),
        ("2026-06-03", "她九月十二号到，住到国庆过完", "她九月十二号（2026-09-12）到，住到国庆（2026-10-01 至 2026-10-07）过完"),
    ],
)  # fmt: skip
def test_the_words_around_a_day_say_of_which_month_and_year_it_is(now: str, text: str, dated: str) -> None:
    assert with_dates(text, datetime.fromisoformat(f"{now}T12:00:00+08:00")) == dated
