
# What the repository has: names of resources, alerts, environments and namespaces; and the codes of rules.
function __promgen_offers
    set -l last (commandline -ct)
    # fish asks for the value of an option alone.
    if string match -q -- '--*=*' $last
        set -l parts (string split -m 1 = -- $last)
        set last $parts[1] = $parts[2]
    end
    set -l words (commandline -opc) $last
    command promgen __complete -- $words[2..-1] 2>/dev/null </dev/null
end

complete -c promgen -a '(__promgen_offers)'
