# Completion of harness in bash. Add to ~/.bashrc:
#     eval "$(harness completion bash)"
_harness_completion() {
    local IFS=$'\n'
    mapfile -t COMPREPLY < <("$1" __complete bash "${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
}
complete -o nospace -o bashdefault -o default -F _harness_completion harness
