# What the repository has: names of resources, alerts, environments and namespaces; and the codes of rules.
_promgen() {
    local -a offers
    offers=(${(f)"$(command promgen __complete -- "${(@)words[2,CURRENT]}" 2>/dev/null </dev/null)"})
    if (( $#offers )); then
        compadd -a offers
    else
        _promgen_static "$@"
    fi
}

