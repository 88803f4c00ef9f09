"""Orders to whoever reads a text: to drop its instructions, to hide something, to do a deed, to send data away.

A linear model over the text's phrases and a few signs of form tells them from what people tell each other and their
assistants. A text is held back from LIMIT on; a firm sign holds it back by itself. Below
MILD it may be what a person tells an assistant: whoever knows that a person said it may let it through. To drop all
that was told before is such an order whatever the weights say.

Source
    OWASP LLM01 and ASI06 for the kinds; docs/design/security.md#orders-in-stored-text. Weights:
    memd/lexicons/orders.txt, made by `python -m tools.training` from tools/training/sets/attack_*.jsonl. Figures:
    tests/conformance/test_attack.py.
"""

from __future__ import annotations

from typing import NamedTuple

from memd.engine.linear import Linear, as_features, shown
from memd.model.scan import Danger, Found
from memd.text import expressions as re
from memd.text.analysis import READ_CHARS, phrases
from memd.text.expressions import is_in

LIMIT, MILD = 0.0, 4.0  # log odds
SIGN, KIND = 1.5, 0.7
REACH_CHARS = 2400  # the longest sign
TOLD = 3  # phrases that are named to a person


class Sign(NamedTuple):
    """One sign of form: its name, what it looks like, and whether it is enough by itself."""

    name: str
    pattern: re.Pattern[str]
    firm: bool = False


def _sign(name: str, *patterns: str, firm: bool = False) -> Sign:
    return Sign(name, re.compile("|".join(patterns), re.MULTILINE), firm)


_RULES = r"(?:instruction|directive|guideline|rule|polic(?:y|ies)|prompt|restriction|constraint|safeguard|programming|training|order)s?\b"
_RULES_ZH = (
    r"(?:指令|指示|提示词?|系统提示|规则|规定|准则|设定|限制|约束|要求|命令|守则|安全(?:检查|限制|规则|策略|设置))"
)
_PRIVATE = (
    r"api[ _-]?keys?|ssh keys?|private keys?|secrets?\b|passwords?|credentials?|tokens?\b|cookies?\b|\.env\b|~/\.(?:ssh|aws|netrc|gnupg|kube)|id_(?:rsa|ed25519)|/etc/passwd"
    r"|environment variables?|\b(?:chat|conversation|message|session|browsing) (?:history|log|transcript)s?|transcripts?\b|memor(?:y|ies)\b|system prompt|contacts\b|address book"
    r"|密钥|私钥|密码|口令|令牌|凭证|环境变量|(?:聊天|对话|会话|浏览)(?:记录|历史|内容)|记忆(?:内容|库|文件)?|通讯录|联系人|身份证|银行卡|手机号|住址|个人信息|隐私"
)
_AWAY = r"(?:https?|ftps?|wss?)://|\bwebhooks?\b|(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}\.[\w.]{1,63}|(?<![\w-])[\w-]{1,63}\.(?:test|example|evil|attacker|invalid|xyz|top|tk)\b|\bpastebin\b|\bgist\b|\bdns\b|\bt\.me/"
_SLOT = r"(?:\{\{?[^}\s]*\}|\$\{?\w|<[a-z][a-z_ -]*>|\[[a-z][a-z_ ]*\]|%7b|insert_|your_|【[^】]*】)"

SIGNS = (
    _sign(
        "a chat template's marks",
        r"^\W{0,4}<\|/?(?:im_start|im_end|system|assistant|user|start_header_id|eot_id)\|>|<\|im_start\|>\s*(?:system|user|assistant)\b|\[inst\](?:(?!\[inst\])[\s\S]){0,2000}?\[/inst\]|<<sys>>[\s\S]|^<start_of_turn>",
        r"</?(?:system|memory|context|recalled|memd)[\w -]{0,20}>\s*\S[\s\S]{0,400}<(?:/?system|/?instructions?)[\w -]{0,20}>",
        firm=True,
    ),
    _sign("the system's voice", r"^\W{0,4}(?:system|admin|developer|root|operator)\b[^:：\n]{0,30}[:：\]]|^\W{0,4}(?:系统|管理员|开发者|官方)[^:：\n]{0,10}[:：】]|<system>|\"role\"\s*:\s*\"(?:system|developer)\"|###\s*(?:system|new instructions?)"),
    _sign(
        "instructions to be dropped",
        rf"\b(?:ignor|disregard|overrid|bypass|forget|discard|abandon|suspend|set aside|stop following)\w*\b[^.!?\n]{{0,40}}\b(?:previous|prior|earlier|above|all|any|your|system|former|original|existing)\b[^.!?\n]{{0,30}}\b{_RULES}",
        rf"(?:忽略|无视|忘(?:记|掉)|绕过|违反|停止遵守|取消|作废|跳过|抛开|推翻)[^。！？\n]{{0,12}}(?:之前|以前|先前|上面|以上|前面|原有|所有|全部|一切|任何|你的|系统|现有|安全)[^。！？\n]{{0,12}}{_RULES_ZH}",
    ),
    _sign("speaks to the machine that reads it", r"\b(?:a\.?i\.?|assistants?|language model|llms?|chat ?bot|agents?|bot|gpt|claude|chatgpt|gemini|copilot|models?)\b|人工智能|大模型|语言模型|模型|智能体|助手|助理|机器人"),
    _sign("to be kept from the user", r"\b(?:do not|don't|never|without)\b[^.!?\n]{0,24}\b(?:tell|inform|mention|reveal|disclose|notify|alert|letting|asking|warn)\w*\b", r"\b(?:silently|secretly|quietly|discreetly|behind)\b", r"(?:不要|别|不得|不必|无需|不用|勿)[^。，\n]{0,6}(?:告诉|告知|通知|提及|提到|透露|询问|确认|声张|让)|悄悄|偷偷|暗中|瞒着|背着"),
    _sign("tied to what the user says", r"\b(?:when(?:ever)?|every time|each time|any ?time|if|once|as soon as|should)\b[^.!?\n]{0,24}\b(?:the user|user|anyone|someone|they|he|she|asked)\b", r"(?:只要|凡是|每当|每次|一旦|以后|如果|无论|下次|要是)[^。！？\n]{0,14}(?:用户|有人|对方|客户|问|提到|说)"),
    _sign("without asking", r"\bwithout (?:asking|confirm\w*|permission|approval|review|consent|checking)\b|\bno (?:need to (?:ask|confirm)|confirmation|further confirmation)\b|\bskip\w* (?:the )?(?:confirmation|approval|review|check)", r"(?:无需|不用|不必|不再|免|跳过)(?:再)?(?:询问|征求|确认|审批|批准|经过|请示|同意|授权|核实)|直接执行"),
    _sign("a command that harms", r"\brm -[a-z]*r[a-z]* (?:~|/(?!tmp)|\$home|\*|\.\s)|\bcurl\b[^|\n]{0,120}\|\s*(?:sudo )?(?:ba|z|da)?sh\b|\bwget\b[^|\n]{0,120}\|\s*(?:ba)?sh\b|\bcurl\b[^\n]{0,80}(?:-d @|--data\S* @|-t )|/dev/tcp/|authorized_keys|\bcrontab\b|\bchmod -r 777\b|base64 -d[^|\n]{0,40}\|"),
    _sign("an address", _AWAY),
    _sign("what is private", _PRIVATE),
    _sign("an address with a place for data", rf"!?\[[^\]]{{0,80}}\]\(\s?https?://[^)]{{0,200}}{_SLOT}|https?://\S{{0,160}}[?&/=]{_SLOT}|https?://\S{{0,120}}[?&][a-z]{{1,12}}=(?=[\s,，。）)\"'+]|$)"),
    _sign("hidden from the eye", r"display:\s?none|visibility:\s?hidden|font-size:\s?0|opacity:\s?0\b|color:\s?(?:white|#fff)\b|<!--|白色小字"),
)  # fmt: skip
# Told to drop what it was told before, at the beginning of a sentence: an order by itself, though a person may tell an assistant so.
_DROPS_ALL = re.compile(
    r"(?:^|[.!?;:,\n\"'“(>\]]\s*|\b(?:and|then|please|now|must|should|will|instead)\s+)(?:ignore|disregard|forget|override|bypass|discard)\s+(?:about\s+)?(?:(?:all|any|every|of|the|your|these|those|other)\s+){0,4}"
    r"(?:previous|prior|above|earlier|preceding|former|foregoing|original|initial|system)\s+(?:(?:given|system|safety|security|developer)\s+){0,2}"
    r"(?:instruction|directive|guideline|prompt|programming|training|restriction|safeguard)s?\b(?!\s+(?:in|on|about|from|for|of|regarding)\b)"
    r"|(?:^|[。！？；，：:,\n“「]\s*)(?:请|现在|立即|立刻|马上|你(?:必须|应该|要|需要)?|从现在起|接下来){0,3}(?:忽略|无视|忘(?:记|掉)|绕过|抛开|推翻)(?:掉)?你?(?:之前|以前|先前|上面|以上|前面|此前|原有|所有|全部|一切|任何|系统)"
    r"(?:的|所有|全部|一切|任何|给你|收到|系统){0,4}(?:指令|指示|提示词?|系统提示|守则|准则|安全(?:限制|规则|策略|设置))"
)
LEAK = "sends what is private to an address"
_LEAKS = (LEAK, "an address with a place for data")
_SPACED = re.compile(r"(?<=\b\w)[ ._-](?=\w\b)")


def order_features(folded: str) -> dict[str, float]:
    """Return what the model looks at in a folded text: its phrases, and the signs by name."""
    named = dict.fromkeys(kinds_in(folded), KIND)
    named.update({sign.name: SIGN for sign in SIGNS if is_in(sign.pattern, folded, REACH_CHARS)})
    if all(name in named for name in ("sends", "an address", "what is private")):
        named[LEAK] = SIGN
    begin = folded[: READ_CHARS * 2]
    joined = _SPACED.sub("", begin)
    return as_features(phrases(begin) | (phrases(joined) if joined != begin else set()), named)


def find_orders(folded: str, model: Linear) -> list[Found]:
    """Return the order that a folded text gives its reader, if it does; its span is the whole text."""
    features = order_features(folded)
    firm = next((sign for sign in SIGNS if sign.firm and f"[{sign.name}]" in features), None)
    value = model.value(features)
    drops = firm is None and value < LIMIT and is_in(_DROPS_ALL, folded, REACH_CHARS)
    if firm is None and value < LIMIT and not drops:
        return []
    sends = "[an address]" in features and "[sends+private]" in features
    leaks = sends or any(f"[{name}]" in features for name in _LEAKS)
    told = (
        [firm.name]
        if firm
        else ["instructions to be dropped"]
        if drops
        else [shown(name) for name, _ in model.telling(features, TOLD)]
    )
    danger = Danger.EXFILTRATION if leaks else Danger.INJECTION
    what = "would send data away" if leaks else "reads as an order to the model"
    mild = not firm and not leaks and value < MILD
    return [Found(danger, "orders", 0, len(folded), f"it {what} ({', '.join(told)})", mild)]


# Kinds of words that orders to a machine are made of, in English and Chinese.
#
# No word here is bad. What a text orders shows in which kinds stand together in a sentence; that is learned (orders.py).
# English words are stems where they end in `*`; Chinese ones stand anywhere.

_ENGLISH: dict[str, str] = {
    "drops": "ignor* disregard* overrid* overrul* bypass* forget* forgot discard* abandon* suspend* void cancel* drop* skip* circumvent* set_aside supersed* lift* disabl* turn_off turned_off turning_off switch_off switched_off no_longer stop* replac* eras* outrank* null obsolete",
    "rules": "instruction* directive* guideline* rule* polic* prompt* restriction* constraint* safeguard* guardrail* programming training order* filter* limit* persona guidance safety protocol* role_definition principles",
    "machine": "assistant* ai a.i. model* llm* agent* bot* chatbot* gpt* claude chatgpt gemini copilot machine reader language_model",
    "you": "you your yours yourself",
    "user": "user* customer* owner* human* anyone somebody someone they them client* visitor* caller*",
    "tells": "tell* told mention* reveal* disclos* notif* inform* alert* show* admit* explain* warn* announc* discuss* acknowledg* bring_up",
    "not": "not never don't dont don’t without no cannot can't won't nor nothing",
    "secretly": "silent* secret* quiet* hidden hide* discreet* confidential* conceal* invisibl* unnoticed covert* between_us private* behind",
    "sends": "send* sent post* upload* forward* transmit* submit* leak* exfiltrat* append* attach* embed* includ* encod* cop* mail* email* e-mail* deliver* push* sync* report* relay* ship* dump* paste* shar* beacon* ping* load* fetch* cc bcc smuggl*",
    "private": "key* password* credential* token* cookie* .env ssh secret* contact* history transcript* memor* address_book conversation* message* chat* calendar location name number* card* medical data file* inbox note* diar* everything",
    "runs": "run* execut* install* download* terminal shell sudo curl wget bash script* command* crontab npm pip powershell macro* tool* open* click*",
    "destroys": "delet* remov* wip* eras* format* destroy* overwrit* purg* truncat* corrupt* rm",
    "permits": "approv* authori* grant* accept* pre-approved permission* allow* trust* whitelist* consent* permitted clearance cleared signed_off agreed waiv* exempt*",
    "asks": "ask* confirm* approval review* check* verif* question* consult* prompt* second-guess*",
    "lies": "lie* lying pretend* claim* fake* fabricat* mislead* deny denies make_up insist* falsif* forg* invent* disguis* impersonat*",
    "says": "answer* repl* respon* say* output* print* repeat* recit* state* write* quote* insert* add*",
    "condition": "when whenever if once every_time each_time as_soon_as anytime upon before after next_time until",
    "authority": "system admin* developer* operator* root official* openai anthropic priority highest override superuser maintainer* vendor management it_department compliance legal security_team",
    "becomes": "you_are_now act_as from_now_on henceforth new_role mode jailbr* unlock* unrestricted unfiltered dan role-play roleplay pretend* simulat* persona alter_ego identity",
    "memory": "memor* remember* stor* save* persist* replicat* propagat* note_to_self every_note permanent* each_new",
    "money": "transfer* pay* account* iban wallet* refund* invoice* bank purchas* buy* donat* wire* price* discount* coupon* crypto bitcoin",
    "praises": "recommend* promot* favou* prais* best suggest* prefer* steer* brand* advertis* endors* sponsor* link* competitor*",
    "must": "must shall always have_to required need_to obliged ordered mandatory should every all any standing",
    "this": "this_note this_memory this_message this_text this_document this_entry this_page reading_this when_loaded the_above the_following this_line this_file",
    "knows": "we_both customary agreed_to standard_practice it_is_understood already known policy_is as_usual default expected",
}  # fmt: skip
_CHINESE: dict[str, str] = {
    "drops": "忽略 无视 忘记 忘掉 绕过 违反 取消 作废 跳过 抛开 推翻 覆盖 放弃 停止 不再 解除 关闭 撤销 失效 不必理会 别管 别理 抛弃 丢掉 屏蔽",
    "rules": "指令 指示 提示 规则 规定 准则 设定 限制 约束 要求 命令 守则 安全 过滤 审查 人设 底线 原则 流程 策略 政策",
    "machine": "助手 助理 模型 智能体 机器人 人工智能 系统",
    "you": "你 您",
    "user": "用户 主人 客户 对方 有人 别人 任何人 他 她 顾客",
    "tells": "告诉 告知 提及 提到 提起 透露 说明 声张 承认 提醒 解释 泄露 通知 汇报 让 知道",
    "not": "不 别 勿 无需 没 免 莫 禁止",
    "secretly": "悄悄 偷偷 暗中 秘密 瞒 背着 不动声色 保密 私下 静默 隐藏 后台 默默",
    "sends": "发送 发到 发给 发往 上传 转发 提交 传到 传给 寄 post 同步 回传 推送 拼 附上 附在 写进 写入 抄送 备份 请求 访问 带上 贴到 导出 嵌入 编码 外发 存到 拷贝",
    "private": "密钥 私钥 密码 口令 令牌 凭证 环境变量 聊天 对话 会话 记录 记忆 通讯录 联系人 身份证 银行卡 手机号 住址 个人信息 隐私 资料 病历 日程 位置 内容 文件 邮件 全部 所有",
    "runs": "执行 运行 安装 下载 终端 命令 脚本 调用 打开 点击 工具",
    "destroys": "删除 清空 删掉 格式化 抹掉 销毁 覆盖 清除 移除",
    "permits": "批准 授权 同意 放行 通过 信任 白名单 许可 默认 准许 有权 可以 允许 豁免",
    "asks": "询问 确认 审批 请示 征求 核实 复核 过问 再问 多问 追问 检查 验证",
    "lies": "撒谎 谎称 假装 骗 编造 伪造 误导 否认 声称 装作 冒充 糊弄 搪塞 隐瞒",
    "says": "回答 回复 说 输出 复述 打印 答 写 加上 补一句 告诉",
    "condition": "只要 每当 一旦 如果 下次 当 以后 凡是 若 遇到 之前 之后 问起 每次 要是 等",
    "authority": "系统 管理员 开发者 官方 最高 优先 权限 平台 公司 上级 运维 安全部 法务",
    "becomes": "你现在是 扮演 从现在起 从今 模式 越狱 不受限 解锁 无限制 身份 角色",
    "memory": "记忆 记住 写入 复制 传播 永久 保存 每条 备注 长期 牢记",
    "money": "转账 付款 账户 账号 钱包 汇款 收款 打款 退款 支付 卡号 下单 购买",
    "praises": "推荐 优先 好评 夸 首选 最好 引导 安利 力荐 友商 竞品 品牌 链接",
    "must": "必须 务必 一律 一定 总是 都要 得 应当 应 要 全部 所有 直接",
    "this": "本条 这条 这段 本文 读到 看到 以下 以上 上述 此条 本消息 加载",
    "knows": "已经说好 约定 惯例 照例 默认 早已 众所周知 默契 一贯 本来就",
}  # fmt: skip


LONGEST_ENDING = 6  # letters that may follow a stem
SENTENCES = 12
_SENTENCE = re.compile(r"(?<![.!?;。！？；\n])[.!?;。！？；\n]+(?=\s|$|[\u2e80-\uffff])")
_WORD = re.compile(r"[a-z0-9’'.]++|[\u2e80-\uffff]++")
_SIGNS = "’'."


def _tables() -> tuple[dict[str, set[str]], dict[str, set[str]], dict[str, list[tuple[str, str]]]]:
    """Return kinds by whole word, kinds by stem, and Chinese words with their kind by first character."""
    whole: dict[str, set[str]] = {}
    stems: dict[str, set[str]] = {}
    han: dict[str, list[tuple[str, str]]] = {}
    for kind, english in _ENGLISH.items():
        for word in english.split():
            (stems if word.endswith("*") else whole).setdefault(word.removesuffix("*"), set()).add(kind)
        for word in _CHINESE[kind].split():
            if word.isascii():
                whole.setdefault(word, set()).add(kind)
            else:
                han.setdefault(word[0], []).append((word, kind))
    return whole, stems, han


_WHOLE, _STEMS, _HAN = _tables()
_SHORTEST = min(map(len, _STEMS))
_RANK = {kind: place for place, kind in enumerate(_ENGLISH)}


def kinds_in(folded: str) -> set[str]:
    """Return the kinds of words in a text, and as `a+b` those that stand together in a sentence."""
    found: set[str] = set()
    for sentence in _SENTENCE.split(folded, SENTENCES)[:SENTENCES]:
        here = sorted(_kinds_of(sentence), key=_RANK.__getitem__)
        found.update(here)
        found.update(f"{first}+{second}" for at, first in enumerate(here) for second in here[at + 1 :])
    return found


def _kinds_of(sentence: str) -> set[str]:
    found: set[str] = set()
    before = before_that = ""
    for run in _WORD.findall(sentence):
        if not (word := run.rstrip(_SIGNS)):
            continue
        if word[0] >= "\u2e80":
            for at, char in enumerate(word):
                for known, kind in _HAN.get(char, ()):
                    if word.startswith(known, at):
                        found.add(kind)
            before = before_that = ""
            continue
        for joined in (word, f"{before}_{word}", f"{before_that}_{before}_{word}"):
            found |= _WHOLE.get(joined, _NONE)
        for size in range(max(_SHORTEST, len(word) - LONGEST_ENDING), len(word) + 1):
            found |= _STEMS.get(word[:size], _NONE)
        before_that, before = before, word
    return found


_NONE: frozenset[str] = frozenset()
