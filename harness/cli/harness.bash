# Completion of harness in bash. Add to ~/.bashrc:
#     eval "$(harness completion bash)"
_harness_completion() {
    local IFS=$'\n' line="${COMP_LINE:0:COMP_POINT}"
    mapfile -t COMPREPLY < <("$1" __complete bash "$line" 2>/dev/null)
}
complete -o nospace -o bashdefault -o default -F _harness_completion harness
