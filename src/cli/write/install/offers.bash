
# What the repository has: names of resources, alerts, environments and namespaces; and the codes of rules.
_promgen_offers() {
    local offer
    local -a offers=()
    while IFS= read -r offer; do
        offers+=("$offer")
    done < <(command promgen __complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null </dev/null)
    if [[ ${#offers[@]} -gt 0 ]]; then
        COMPREPLY=("${offers[@]}")
    else
        _promgen "$@"
    fi
}

complete -F _promgen_offers -o bashdefault -o default promgen
