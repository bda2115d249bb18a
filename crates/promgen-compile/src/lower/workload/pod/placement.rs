//! Where the user's pods may run, and where those of a shard may.

use promgen_resources::api::core::{
    Affinity, NodeAffinity, NodeSelector, NodeSelectorTerm, PodAffinity, PodAntiAffinity,
};

/// The user's affinity and that of the shard's place, both of which hold.
pub(crate) fn affinity(user: Option<Affinity>, placement: Option<Affinity>) -> Option<Affinity> {
    let (mut user, placement) = match (user, placement) {
        (Some(user), Some(placement)) => (user, placement),
        (user, placement) => return user.or(placement),
    };
    user.node_affinity = both(
        user.node_affinity,
        placement.node_affinity,
        |user, placement| NodeAffinity {
            preferred_during_scheduling_ignored_during_execution: concat(
                user.preferred_during_scheduling_ignored_during_execution,
                placement.preferred_during_scheduling_ignored_during_execution,
            ),
            required_during_scheduling_ignored_during_execution: both(
                user.required_during_scheduling_ignored_during_execution,
                placement.required_during_scheduling_ignored_during_execution,
                |user, placement| required(&user, &placement),
            ),
        },
    );
    user.pod_affinity = both(user.pod_affinity, placement.pod_affinity, |a, b| {
        PodAffinity {
            preferred_during_scheduling_ignored_during_execution: concat(
                a.preferred_during_scheduling_ignored_during_execution,
                b.preferred_during_scheduling_ignored_during_execution,
            ),
            required_during_scheduling_ignored_during_execution: concat(
                a.required_during_scheduling_ignored_during_execution,
                b.required_during_scheduling_ignored_during_execution,
            ),
        }
    });
    user.pod_anti_affinity = both(
        user.pod_anti_affinity,
        placement.pod_anti_affinity,
        |a, b| PodAntiAffinity {
            preferred_during_scheduling_ignored_during_execution: concat(
                a.preferred_during_scheduling_ignored_during_execution,
                b.preferred_during_scheduling_ignored_during_execution,
            ),
            required_during_scheduling_ignored_during_execution: concat(
                a.required_during_scheduling_ignored_during_execution,
                b.required_during_scheduling_ignored_during_execution,
            ),
        },
    );
    Some(user)
}

/// The combination of the two, or the one that is set.
fn both<T>(a: Option<T>, b: Option<T>, combine: impl FnOnce(T, T) -> T) -> Option<T> {
    match (a, b) {
        (Some(a), Some(b)) => Some(combine(a, b)),
        (a, b) => a.or(b),
    }
}

fn concat<T>(a: Option<Vec<T>>, b: Option<Vec<T>>) -> Option<Vec<T>> {
    both(a, b, |mut a, b| {
        a.extend(b);
        a
    })
}

/// Node selectors that both hold. A node fits if it fits one term, and a term if it fits all of it, so each term of the
/// one is joined with each of the other.
fn required(user: &NodeSelector, placement: &NodeSelector) -> NodeSelector {
    let join = |user: &NodeSelectorTerm, placement: &NodeSelectorTerm| NodeSelectorTerm {
        match_expressions: concat(
            user.match_expressions.clone(),
            placement.match_expressions.clone(),
        ),
        match_fields: concat(user.match_fields.clone(), placement.match_fields.clone()),
    };
    let terms = &placement.node_selector_terms;
    NodeSelector {
        node_selector_terms: user
            .node_selector_terms
            .iter()
            .flat_map(|user| terms.iter().map(move |placement| join(user, placement)))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use promgen_resources::api::core::NodeSelectorRequirement;

    fn requiring(keys: &[&str]) -> Affinity {
        let term = |key: &&str| NodeSelectorTerm {
            match_expressions: Some(vec![NodeSelectorRequirement {
                key: (*key).to_owned(),
                operator: "Exists".to_owned(),
                values: None,
            }]),
            match_fields: None,
        };
        let required = NodeSelector {
            node_selector_terms: keys.iter().map(term).collect(),
        };
        let node = NodeAffinity {
            required_during_scheduling_ignored_during_execution: Some(required),
            ..NodeAffinity::default()
        };
        Affinity {
            node_affinity: Some(node),
            ..Affinity::default()
        }
    }

    #[test]
    fn the_zone_is_required_in_every_term_of_the_user() {
        let merged = affinity(Some(requiring(&["a", "b"])), Some(requiring(&["zone"]))).unwrap();
        let terms = merged
            .node_affinity
            .unwrap()
            .required_during_scheduling_ignored_during_execution
            .unwrap();
        let keys = |t: &NodeSelectorTerm| {
            t.match_expressions
                .iter()
                .flatten()
                .map(|e| e.key.clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            terms
                .node_selector_terms
                .iter()
                .map(keys)
                .collect::<Vec<_>>(),
            [["a", "zone"], ["b", "zone"]]
        );
    }

    #[test]
    fn one_affinity_stays_as_it_is() {
        assert_eq!(
            affinity(None, Some(requiring(&["zone"]))),
            Some(requiring(&["zone"]))
        );
        assert_eq!(
            affinity(Some(requiring(&["a"])), None),
            Some(requiring(&["a"]))
        );
    }
}
