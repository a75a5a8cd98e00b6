#compdef harness
# Completion of harness in zsh. Add to ~/.zshrc, after compinit:
#     eval "$(harness completion zsh)"
_harness() {
    local -a lines values shown
    local line value
    lines=("${(@f)$("${(Q)words[1]}" __complete zsh -- "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
    for line in $lines; do
        value="${line%%$'\t'*}"
        [[ -z "$value" ]] && continue
        values+=("$value")
        if [[ "$line" == *$'\t'* ]]; then
            shown+=("$value  -- ${line#*$'\t'}")
        else
            shown+=("$value")
        fi
    done
    if (( $#values == 0 )); then
        _files
        return
    fi
    local -a whole wholeshown begun begunshown
    local -i i
    for (( i = 1; i <= $#values; i++ )); do
        if [[ "$values[i]" == */ ]]; then
            begun+=("$values[i]"); begunshown+=("$shown[i]")
        else
            whole+=("$values[i]"); wholeshown+=("$shown[i]")
        fi
    done
    (( $#whole )) && compadd -l -d wholeshown -a whole
    (( $#begun )) && compadd -l -S '' -d begunshown -a begun
}
if [[ "${zsh_eval_context[-1]}" == loadautofunc ]]; then
    _harness "$@"
else
    compdef _harness harness
fi
