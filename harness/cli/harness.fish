# Completion of harness in fish. Add to ~/.config/fish/config.fish:
#     harness completion fish | source
function __harness_complete
    set -l words (commandline -opc)
    set -l begun (commandline -ct)
    $words[1] __complete fish -- $words[2..-1] "$begun" 2>/dev/null
end
complete -c harness -f -a '(__harness_complete)'
