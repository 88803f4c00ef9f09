# Start memd as `memd setup` said it is started here: a plugin knows neither the program nor the memory.
# Where nothing was set up, or what was is gone, the person is told when a session begins, and the agent works on.
case "${XDG_STATE_HOME:-}" in /*) state=$XDG_STATE_HOME ;; *) state=$HOME/.local/state ;; esac
[ -f "$state/memd/start" ] && . "$state/memd/start"
if [ "$1" = hook ]; then
    if grep '"hook_event_name" *: *"SessionStart"' > /dev/null; then
        case "${LC_ALL:-${LC_MESSAGES:-${LANG:-}}}" in
        zh*) echo '{"systemMessage": "记忆：关，还没有建；`memd setup` 一条命令就有"}' ;;
        *) echo '{"systemMessage": "memory: off, there is none yet; `memd setup` makes one"}' ;;
        esac
    fi
    exit 0
fi
echo 'there is no memory yet: `memd setup` makes one' >&2
exit 127
