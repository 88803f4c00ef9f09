"""The verbs there are, in the groups a person looks for them in: where each lives, and what it does in one line."""

from __future__ import annotations

from typing import NamedTuple

import click


class Verb(NamedTuple):
    """Where a verb lives, and what it does: one line that a terminal of 80 columns shows whole."""

    module: str
    does: str


COMPLETING = "_MEMD_COMPLETE"  # in the environment where a shell asks what completes

GROUPS: dict[str, dict[str, Verb]] = {
    "Start here": {
        "setup": Verb("setup.command", "Give every agent on this machine a memory, in one step."),
        "init": Verb("running", "Make a workspace: a folder with a memory."),
        "up": Verb("running", "Run the daemon; --detach puts it in the background."),
        "down": Verb("stopping", "Stop the daemon of this workspace."),
        "status": Verb("running", "Tell how the workspace is, and whether a daemon runs."),
        "demo": Verb("demo", "Make a workspace with two roles, and show memd at work on it."),
    },
    "Remember and recall": {
        "remember": Verb("keeping", "Keep a text if it is worth it, or say why not."),
        "score": Verb("keeping", "Judge a text as remember would, and store nothing."),
        "propose": Verb("hooking", "Name what of a conversation is worth remembering."),
        "trigger": Verb("recalling", "Show what a message brings to mind."),
        "about": Verb("searching", "Tell what is known of you, a person, a thing or a project."),
        "search": Verb("searching", "Search everything: memories, pages, sessions, runs, skills."),
        "list": Verb("recalling", "List a role's memories."),
        "show": Verb("recalling", "Show one memory, and with --history what became of it."),
        "edit": Verb("keeping", "Change a memory, in your editor or by options."),
        "forget": Verb("keeping", "Move a memory to the archive, or erase it."),
        "restore": Verb("keeping", "Bring a forgotten memory back."),
        "undo": Verb("keeping", "Take back the last decision about a memory."),
        "link": Verb("keeping", "Relate two memories, or say that one replaces the other."),
        "role": Verb("roles", "List the roles; tell which role's memory a directory uses."),
    },
    "Look after": {
        "review": Verb("reviewing", "See what waits for a person; keep, drop or settle it."),
        "log": Verb("care", "Tell what memd did lately, and how to take it back."),
        "consolidate": Verb("consolidating", "Make memories of what was said in sessions."),
        "verify": Verb("reviewing", "Check that a memory is on disk as it was remembered."),
        "stats": Verb("care", "Tell what a role has: counts, sizes, what is never recalled."),
        "tune": Verb("care", "Try other thresholds on what you kept and dropped."),
        "upkeep": Verb("care", "Archive what expired, and make room where a limit is reached."),
        "config": Verb("care", "Show the settings, or change one; comments stay."),
        "trust": Verb("trusting", "Say what a workspace may do on this machine."),
        "capture": Verb("trusting", "Say what is kept of conversations on this machine."),
        "pause": Verb("trusting", "Keep nothing of conversations for a while."),
        "check": Verb("checking", "Say what is wrong with any file, and where; --fix repairs."),
        "flush": Verb("care", "Bring all that is acknowledged into the files now."),
        "rebuild": Verb("searching", "Build the full-text index again from the files."),
        "recover": Verb("care", "Put back memories that are gone from the files."),
        "replay": Verb("recalling", "Ask recorded messages again, and compare the answers."),
    },
    "Work and sessions": {
        "session": Verb("sessions", "Keep conversations: open, append, read, search."),
        "run": Verb("runs", "Record what an agent does, to a receipt."),
        "task": Verb("tasks", "Open tasks; accept, revise or abandon their results."),
        "skill": Verb("skills", "Learn skills from accepted tasks; a person approves them."),
        "snapshot": Verb("contexts", "Freeze MEMORY.md and USER.md as they are."),
        "context": Verb("contexts", "Put together what a model is given next."),
        "curated": Verb("contexts", "Read and edit MEMORY.md and USER.md entry by entry."),
    },
    "Share": {
        "import": Verb("carrying", "Take in lorebooks, cards and other programs' memories."),
        "export": Verb("carrying", "Write a role's memories for other programs."),
        "git": Verb("gitting", "Teach git to merge memories one by one."),
        "sync": Verb("gitting", "Commit, pull and push the workspace."),
        "backup": Verb("gitting", "Put everything into one file, verify it, restore it."),
    },
    "Agents and editors": {
        "ui": Verb("serving", "See what is remembered in the browser, and correct it."),
        "hook": Verb("hooking", "Give agents this memory: Claude Code, Codex, Gemini, VS Code."),
        "mcp": Verb("serving", "Serve an agent over the Model Context Protocol."),
        "guard": Verb("hooking", "Rule on an agent's tool call: may it pass?"),
        "schema": Verb("checking", "Print JSON Schemas, with which editors check the files."),
    },
    "The program": {
        "doctor": Verb("doctor", "Check that files, log, index and daemon agree."),
        "service": Verb("services", "Have systemd start the daemon when it is first needed."),
        "completion": Verb("completing", "Print a shell's completion script for verbs, roles and ids."),
    },
}
VERBS = {name: f"memd.cli.{verb.module}" for verbs in GROUPS.values() for name, verb in verbs.items()}

# What other programs call it. Only where a word is no verb: nothing is carried out under another name.
OTHER_WORDS = {
    "setup": ("bootstrap", "onboard", "安装", "配置向导"),
    "init": ("new", "create", "初始化", "新建"),
    "up": ("start", "serve", "daemon", "启动", "开始"),
    "down": ("stop", "kill", "quit", "shutdown", "停止", "关闭"),
    "status": ("info", "ps", "state", "状态"),
    "remember": ("add", "save", "store", "note", "put", "write", "keep", "记住", "记忆", "添加", "保存"),
    "trigger": ("recall", "activate", "inject", "ask", "回忆", "想起", "触发"),
    "about": ("profile", "whoami", "who", "关于", "画像"),
    "search": ("find", "grep", "query", "lookup", "搜索", "查找", "查询"),
    "list": ("ls", "memories", "列表", "列出"),
    "show": ("cat", "get", "view", "read", "查看", "显示"),
    "edit": ("change", "update", "correct", "编辑", "修改"),
    "forget": ("delete", "remove", "rm", "erase", "忘记", "删除"),
    "restore": ("undelete", "unforget", "恢复"),
    "undo": ("revert", "撤销"),
    "review": ("inbox", "conflicts", "conflict", "approve", "pending", "收件箱", "审核", "审阅"),
    "role": ("roles", "character", "agent", "角色"),
    "config": ("settings", "set", "configure", "设置", "配置"),
    "session": ("sessions", "chat", "conversation", "会话"),
    "import": ("load", "导入"),
    "export": ("dump", "导出"),
    "check": ("lint", "validate", "检查"),
    "doctor": ("diagnose", "health", "诊断"),
    "backup": ("archive", "备份"),
    "sync": ("pull", "push", "同步"),
    "hook": ("hooks", "install"),
    "log": ("history", "audit", "日志"),
    "rebuild": ("reindex", "index"),
    "upkeep": ("gc", "prune", "maintenance"),
}

# Words that people put behind a verb which has none, as other programs want it, and what stands instead: "" where the word is
# only left out. Words of one kind together, so that what is proposed never does the opposite of what was asked.
_SEE = ("show", "get", "list", "ls", "view", "cat", "read", "print", "查看", "显示", "列出")
_MAKE = ("add", "new", "create", "make", "put", "set", "添加", "新建", "创建")
_CHANGE = ("set", "put", "change", "update", "edit", "设置", "修改")
_REMOVE = ("rm", "remove", "delete", "del", "删除")
_DO = ("run", "start", "do", "now", "运行", "开始")
GUESSES: dict[str, dict[tuple[str, ...], str]] = {
    **{verb: {_MAKE: ""} for verb in ("init", "remember", "link", "export")},
    **{verb: {_SEE: ""} for verb in ("status", "list", "show", "stats", "context")},
    **{verb: {_DO: ""} for verb in ("up", "down", "demo", "upkeep", "rebuild", "replay", "mcp", "guard", "doctor")},
    "edit": {_CHANGE: ""},
    "forget": {_REMOVE: ""},
    "config": {_SEE: "", _CHANGE: ""},
    "trust": {
        _SEE: "",
        ("grant", "allow", "add", "允许", "授权"): "--grant NAME",
        ("revoke", "deny", *_REMOVE, "撤销"): "--revoke NAME",
    },
    "recover": {_SEE: "--list"},
    "import": {_MAKE: "", ("undo", "revert", "撤销"): "--undo ID"},
    "sync": {(*_DO, "pull", "push", "同步"): ""},
    "backup": {
        (*_MAKE, *_DO, "备份"): "",
        ("verify", "check", "test", "校验"): "FILE --verify",
        ("restore", "load", "恢复"): "FILE --restore DIR",
    },
}

# What a verb below another one is called elsewhere: of those that stand together each may be meant by each.
ALIKE = (
    ("list", "ls", "all", "列出", "列表"),
    ("show", "read", "get", "cat", "view", "print", "查看", "显示"),
    ("create", "open", "start", "take", "add", "new", "make", "添加", "新建", "创建"),
    ("install", "add", "setup", "enable", "安装"),
    ("replace", "edit", "set", "update", "change", "修改"),
    ("remove", "drop", "abandon", "retire", "uninstall", "rm", "delete", "del", "删除"),
    ("accept", "approve", "ok"),
    ("complete", "close", "end", "stop", "结束"),
)
LISTING = ("review",)  # lists where no verb follows


class Family(click.Group):
    """A group whose help cuts no sentence, and lists verbs in the order they are used in."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  click's signature
        """Return the verbs as they were declared."""
        return list(self.commands)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write each verb with its first sentence."""
        found = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        rows = [(name, sentence_of(one)) for name, one in found if one is not None and not one.hidden]
        if rows:
            with formatter.section("Verbs"):
                formatter.write_dl(rows)


def sentence_of(command: click.Command) -> str:
    """Return the first sentence of a verb's help, whole."""
    return f"{command.get_short_help_str(limit=1000).rstrip('.')}."
