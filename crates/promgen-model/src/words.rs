//! Lists of names in sentences.
//!
//! In: the names. Out: the text of them.

/// `a, b and c`.
pub fn and<T: AsRef<str>>(items: &[T]) -> String {
    let mut items: Vec<&str> = items.iter().map(AsRef::as_ref).collect();
    match items.pop() {
        None => String::new(),
        Some(last) if items.is_empty() => last.to_owned(),
        Some(last) => format!("{} and {last}", items.join(", ")),
    }
}

/// `a, b and 3 more`, with at most so many names.
pub fn first<T: AsRef<str>>(items: &[T], max: usize) -> String {
    let shown = items.iter().take(max).map(AsRef::as_ref);
    let shown = shown.collect::<Vec<_>>().join(", ");
    match items.len().saturating_sub(max) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// `"a", "b" and "c"`.
pub fn quoted<T: AsRef<str>>(items: &[T]) -> String {
    let quoted = items.iter().map(|item| format!("\"{}\"", item.as_ref()));
    and(&quoted.collect::<Vec<_>>())
}
