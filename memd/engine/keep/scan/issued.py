"""Keys and tokens that their issuer's form gives away.

A form begins with what its issuer puts in front: that is looked for as it stands, and only there is the pattern asked.

Source
    The formats that issuers publish (AWS, GitHub, GitLab, Slack, Stripe, OpenAI, Anthropic, Google, npm, PyPI, SendGrid,
    Twilio, Telegram, Alibaba and Tencent Cloud), RFC 7519, RFC 7468; docs/design/security.md#secrets.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from memd.text import expressions as re

LEAST_CHARS, LONGEST = 16, 32_768  # characters of one key


class Issued(NamedTuple):
    """A key: whose it is, and where it stands."""

    rule: str
    start: int
    stop: int


# Name, what a key may begin with, and its whole form from there.
_TOKENS: tuple[tuple[str, str, str], ...] = (
    ("aws", "AKIA ASIA ABIA ACCA", r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b"),
    ("github", "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_", r"\b(?:gh[pousr]_[A-Za-z0-9]{30,255}|github_pat_[A-Za-z0-9_]{40,255})\b"),
    ("gitlab", "glpat- glptt- gldt- glrt- glcbt- glft- glsoat- glagent-", r"\bgl(?:pat|ptt|dt|rt|cbt|ft|soat|agent)-[A-Za-z0-9_-]{16,}"),
    ("slack", "xox xapp-", r"\bxox[abeoprs]-[A-Za-z0-9-]{16,}|\bxapp-\d-[A-Za-z0-9-]{16,}"),
    ("slack webhook", "hooks.slack.com/", r"\bhooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9_/]{16,}"),
    ("discord webhook", "discord.com/api/ discordapp.com/api/", r"\bdiscord(?:app)?\.com/api/webhooks/\w{8,64}+/[A-Za-z0-9_-]{16,}"),
    ("chat webhook", "open.feishu.cn/ open.larksuite.com/ oapi.dingtalk.com/ qyapi.weixin.qq.com/", r"\b(?:open\.feishu\.cn|open\.larksuite\.com)/open-apis/bot/\S{16,}|\boapi\.dingtalk\.com/robot/send\?access_token=\w{16,}|\bqyapi\.weixin\.qq\.com/cgi-bin/webhook/send\?key=[\w-]{16,}"),
    ("anthropic", "sk-ant-", r"\bsk-ant-[A-Za-z0-9_-]{16,}"),
    ("openai", "sk-", r"\bsk-(?:proj|svcacct|admin|or-v1)-[A-Za-z0-9_-]{16,}|\bsk-(?=[A-Za-z]*\d)[A-Za-z0-9]{24,}\b"),
    ("stripe", "sk_ rk_ pk_ whsec_", r"\b(?:sk|rk|whsec|pk)_(?:live|test)_[A-Za-z0-9]{14,}|\bwhsec_[A-Za-z0-9+/=]{16,}"),
    ("google", "AIza ya29. GOCSPX-", r"\bAIza[A-Za-z0-9_-]{30,}|\bya29\.[A-Za-z0-9_-]{16,}|\bGOCSPX-[A-Za-z0-9_-]{16,}"),
    ("npm", "npm_", r"\bnpm_[A-Za-z0-9]{24,}"),
    ("pypi", "pypi-", r"\bpypi-[A-Za-z0-9_-]{24,}"),
    ("huggingface", "hf_ api_org_", r"\b(?:hf|api_org)_[A-Za-z0-9]{24,}"),
    ("sendgrid", "SG.", r"\bSG\.[A-Za-z0-9_-]{12,256}+\.[A-Za-z0-9_-]{16,}"),
    ("twilio", "SK AC", r"\b(?:SK|AC)(?=[A-Za-z]{0,40}\d)[0-9a-fA-Z]{28,36}\b"),
    ("digitalocean", "doo_v1_ dop_v1_ dor_v1_", r"\bdo[opr]_v1_[a-f0-9A-Z]{24,}"),
    ("shopify", "shpat_ shpca_ shppa_ shpss_", r"\bshp(?:at|ca|pa|ss)_[A-Za-z0-9]{24,}"),
    ("databricks", "dapi", r"\bdapi[a-fA-F0-9A-Z]{24,}"),
    ("doppler, linear, postman and others", "dp.pt. dp.st. lin_api_ PMAK- ntn_ secret_ figd_ gsk_ xai- r8_ pplx- tvly- nvapi- vercel_ sntrys_ glsa_ hvs. age-secret-key-1 rubygems_ dckr_pat_ EAAC", r"\b(?:dp\.(?:pt|st)\.|lin_api_|PMAK-|ntn_|secret_|figd_|gsk_|xai-|r8_|pplx-|tvly-|nvapi-|vercel_|sntrys_|glsa_|hvs\.|age-secret-key-1|rubygems_|dckr_pat_|EAAC)[A-Za-z0-9_.-]{20,}"),
    ("heroku, square and others", "HRKU- sq0atp- sq0csp- sq0idp- SCT SESSDATA= key- AGE-SECRET-KEY-1 PuTTY-User-Key-File-", r"\bHRKU-[A-Za-z0-9-]{24,}|\bsq0(?:atp|csp|idp)-[A-Za-z0-9_-]{16,}|\bSCT\d{4,20}T[A-Za-z0-9]{16,}|\bSESSDATA=\S{16,}|\bkey-[A-Za-z0-9]{28,}\b|\bAGE-SECRET-KEY-1[A-Za-z0-9]{24,}|\bPuTTY-User-Key-File-\d[\s\S]{60,2000}"),
    ("alibaba cloud", "LTAI", r"\bLTAI[A-Za-z0-9]{12,}"),
    ("tencent cloud", "AKID", r"\bAKID[A-Za-z0-9]{16,}"),
    ("jwt", "eyJ", r"\beyJ[A-Za-z0-9_-]{8,2048}+\.eyJ[A-Za-z0-9_-]{8,16384}+\.[A-Za-z0-9_-]{8,}"),
    ("azure", "AccountKey= SharedAccessSignature= ?sig= &sig=", r"\bAccountKey=[A-Za-z0-9+/=]{30,}|\bSharedAccessSignature=\S{20,}|[?&]sig=[A-Za-z0-9%+/=]{30,}"),
    ("private key", "-----BEGIN ", r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:[\s\S]{0,20000}?-----END [A-Z0-9 ]{0,40}-----|[\s\S]{0,20000})"),
    ("telegram", ":AA", r"(?<=\d{8}):AA[A-Za-z0-9_-]{24,}"),
)  # fmt: skip
_FORMS = tuple(
    (rule, begin, re.compile(form)) for rule, begins, form in _TOKENS for begin in begins.split(" ") if begin
)
_BOT = re.compile(r"\b\d{8,10}\Z")

_PLACEHOLDER = re.compile(
    r"^(?:[x*•.·_#?-]{3,}|\w+://[A-Z]+:[A-Z]+@.*|<.*|\{.*|\$.*|%.*|\[.*|your[_-].*|my[_-].*|example.*|placeholder.*|change-?me|redacted.*|none|null|true|false|todo|n/?a|env\..*|process\.env.*"
    r"|os\.environ.*|secrets?\.\w+|sk-x+|xx.*xx|.*[xX]{6,}|\.{2,}.*|https?://.*|.*EXAMPLE(?:KEY)?)$"
)

_NAME = re.compile(r"[A-Z][A-Z_]+\Z")


def find_issued(text: str) -> list[Issued]:
    """Return the keys and tokens of known issuers, in order, none overlapping."""
    if len(text) < LEAST_CHARS:
        return []
    found = sorted(_all(text), key=lambda one: (one.start, -one.stop))
    kept: list[Issued] = []
    for one in found:
        if not kept or one.start >= kept[-1].stop:
            kept.append(one)
        elif one.stop > kept[-1].stop:
            kept[-1] = kept[-1]._replace(stop=one.stop)
    return kept


def _all(text: str) -> Iterator[Issued]:
    for rule, begin, form in _FORMS:
        at = text.find(begin)
        while at >= 0:
            match = form.match(text, at, at + LONGEST)
            start = _bot_start(text, at) if match and rule == "telegram" else at
            if match and start >= 0 and not _shows_a_form(text[start : match.end()]):
                yield Issued(rule, start, match.end())
            at = text.find(begin, match.end() if match else at + 1)


def _bot_start(text: str, at: int) -> int:
    """Return where the figures before a telegram key begin; -1 where they are none of a bot."""
    figures = _BOT.search(text, max(0, at - 10), at)
    return figures.start() if figures else -1


def is_placeholder(value: str) -> bool:
    """Tell whether a value only stands for one."""
    return _shows_a_form(value) or _NAME.match(value) is not None


def _shows_a_form(value: str) -> bool:
    """Tell whether a value shows what one looks like; a key of an issuer may well be capitals alone."""
    return _PLACEHOLDER.match(value) is not None or len(set(value.lower())) <= 3
