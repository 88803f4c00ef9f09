"""The words that tell whether a call is made or shown.

Some are of somebody about to act, some introduce or explain an example, and some are of talk about formats.
"""

from __future__ import annotations

from memd.text import expressions as re

ACTS = re.compile(
    r"\b(?:i(?:['’](?:ll|m)| will| am| need| should| can| must| have to| want to)\b(?! (?:show|explain|demonstrate))"
    r"|let(?: me|['’]s| us)\b(?! (?:show|explain|demonstrate))|(?:now|first|next|then),? i\b"
    r"|one (?:moment|sec)|hold on|right away|(?:check|search|look|read|runn|call|fetch|open|load|send|query|gett"
    r"|creat|updat|writ|execut|retriev)ing\b)"
    r"|我(?:来|先|去|会|将|要|再|需要|这就|现在|马上|帮|给|得|想|查|看|读)|让我|正在|马上|这就|稍等|接下来"
    r"|[为帮][您你](?![^，。：:]{0,8}了)|[先再现在](?:[去来]?[看查读搜]|确认|打开)|开始[执调查]",
    re.IGNORECASE,
)
SHOWS = re.compile(
    r"\bfor (?:example|instance)\b|\bexamples?\b\W{0,6}\Z|\bexample (?:of|call|output|message|response)\b"
    r"|\be\.g\.|\bsuch as\b"
    r"|\b(?:an?|this|one|another|following|simple|minimal|typical|complete) (?:\w{1,15} ){0,2}(?:example|sample)\b"
    r"|\blooks? (?:like|as follows|something like)\b|\blike (?:this|so|these)\b|\bsample (?:call|output)"
    r"|\b(?:syntax|format|template|schema|notation|convention|shape|structure)s?"
    r"(?: (?:is|are|of|for|looks|uses?)\b|\W{0,6}\Z)"
    r"|\b(?:written|expressed|encoded|represented|formatted|serialized|wrapped|emitted) (?:as|like|in|with|by)\b"
    r"|例如|比如|譬如|举例|举个|例子|(?<![看读开查写改行])示例(?!代码|文件|程序|项目|数据|配置|目录|脚本)|样例|范例"
    r"|格式(?:是|为|如|一般|通常|大致|[:：])|形如|写法|语法|长这样|这样写|写成|写作|形式(?:是|为|如)|样子"
    r"|模型(?:会|应|将|就)?(?:输出|生成|返回|写)",
    re.IGNORECASE,
)
DESCRIBES = re.compile(
    r"\b(?:requests?|responses?|repl(?:y|ies|ied)|answers?|payload|returns?|returned|outputs?|templates?|schema"
    r"|definition|logs?|logged|prints?|printed|writes?|wraps?|wrapped|emits?|emitted|produces?|generates?|encodes?"
    r"|represents?|expects?|accepts?|parses?|rejects?|recognizes?"
    r"|you (?:can|could|should|may|must|need)|docs?|documentation|spec"
    r"|format|syntax|snippet|fixture|test case|means?|consists?)\b"
    r"|请求|响应|返回|输出|日志|格式|模板|定义|如下|以下|下面|[你您]可以|使用|采用|表示|包裹|解析|文档|规范|收到",
    re.IGNORECASE,
)
HOLDS_DATA = re.compile(
    r"\b(?:body|config(?:uration)?|settings?|contains?|defines?|records?|data|recipe|events?|samples?|tests?|rows?"
    r"|fields?|keys?|(?:paste|put|add|send|post|save|store)s?|entr(?:y|ies)|[\w\-]{1,40}\.(?:json|ya?ml|toml|xml|md))\b"
    r"|样本|测试|事件|字段|这样一?[条行个]|配置|接口|数据|内容(?:是|为|如)|文件(?:里|中|内容)|保存为|写入|改成|粘贴|复制|添加|加上|发送",
    re.IGNORECASE,
)
POINTS = re.compile(r"\b(?:here(?:['’]s| is| are)|below|following|this|so)\b|如下|下面|以下|这样|示例", re.IGNORECASE)
TOPIC = re.compile(
    r"\b(?:hermes|qwen|llama|mistral|deepseek|kimi|openai|anthropic|cline|harmony|gpt|gemma|cohere|granite|parsers?"
    r"|parsed|tokenizer|tokens?|templates?|formats?|syntax|markup|tags?|schema|documentation|spec|models?"
    r"|function calling|tool call(?:s|ing)?)\b|格式|模板|解析|标记|标签|语法|文档|模型|协议|规范|工具调用|函数调用",
    re.IGNORECASE,
)
EXPLAINS = re.compile(
    r"\A[\W_]{0,9}(?:(?:this|that|the above|above|these)"
    r" (?:is|are|shows?|was|would|tells?|means?|format|syntax|line|string)\b"
    r"|(?:here|where),? \W?(?:the )?\W?(?:name|arguments|parameters|function|tool)\b"
    r"|(?:the|each|every) \W?(?:name|arguments?|parameters?|tags?|block|format|server|client|parser|json|field|key)\b"
    r"|(?:上面|以上|这)(?:就)?(?:是|表示|说明|段|个).{0,12}(?:格式|示例|写法|例子|样子|调用|标记)"
    r"|means?\b|stands for\b|表示|意思是|代表|说明|其中\W{0,3}(?:name|arguments|参数|工具|函数|名))",
    re.IGNORECASE,
)
SENTENCE = re.compile(r"(?<=[.!?])\s{1,9}(?=\S)|(?<=[。！？])(?=\s{0,9}\S)|\n")
GOES_ON = re.compile(r"[ \t]{0,4}(?:[,，、;；]|[a-z]{2}|[的是来这那表就并时])")
