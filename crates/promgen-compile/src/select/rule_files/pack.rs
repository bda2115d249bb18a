//! Which rule files share a ConfigMap.

use std::collections::BTreeMap;

use crate::select::rule_files::{MAX_BYTES, NamedRuleFile};

/// The files of each ConfigMap. A file that does not fit into the last one starts another; there is always one. Operator:
/// `makeConfigMapsFromRules`.
pub(crate) fn pack(files: &[NamedRuleFile]) -> Vec<BTreeMap<String, String>> {
    let mut files: Vec<&NamedRuleFile> = files.iter().collect();
    files.sort_by(|a, b| a.name.cmp(&b.name));
    let (mut last, mut size, mut maps) = (BTreeMap::new(), 0, Vec::new());
    for file in files {
        // Next fit: the operator never looks back at a map that has room left.
        if size + file.text.len() > MAX_BYTES {
            maps.push(std::mem::take(&mut last));
            size = 0;
        }
        size += file.text.len();
        last.insert(file.name.clone(), file.text.clone());
    }
    // Even if it is empty: the pods mount at least one.
    maps.push(last);
    maps
}

#[cfg(test)]
mod tests {
    use super::*;
    use promgen_text::route::DocId;

    fn files(sizes: &[usize]) -> Vec<NamedRuleFile> {
        let file = |(i, size): (usize, &usize)| NamedRuleFile {
            name: format!("f{i}"),
            text: "x".repeat(*size),
            groups: Vec::new(),
            doc: DocId::default(),
        };
        sizes.iter().enumerate().map(file).collect()
    }

    fn packed(sizes: &[usize]) -> Vec<String> {
        pack(&files(sizes))
            .into_iter()
            .map(|map| map.into_keys().collect::<Vec<_>>().concat())
            .collect()
    }

    #[test]
    fn files_go_into_the_last_map_as_long_as_they_fit() {
        assert_eq!(packed(&[]), [""]);
        assert_eq!(packed(&[1, 2]), ["f0f1"]);
        assert_eq!(packed(&[MAX_BYTES, 0, 1]), ["f0f1", "f2"]);
        assert_eq!(packed(&[MAX_BYTES - 1, 2, 1]), ["f0", "f1f2"]);
    }

    #[test]
    fn names_decide_the_order() {
        let mut files = files(&[1, MAX_BYTES]);
        files.reverse();
        assert_eq!(pack(&files)[0].keys().next().unwrap(), "f0");
    }
}
