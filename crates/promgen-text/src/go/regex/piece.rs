//! Parts of the tree under construction, with the figures that Go limits.
//!
//! Mirrors how Go's parser changes the tree while it reads, where height, repeat counts and size depend on it: adjacent
//! literals merge, concatenations and alternatives are flattened into those around them.

use std::collections::VecDeque;

use crate::go::regex::ast::RegexNode;

/// A node with the figures that Go limits.
pub(super) struct SizedNode {
    pub(super) node: RegexNode,
    /// Levels of the tree.
    pub(super) height: u32,
    /// The highest product of repeat counts on a path to a leaf.
    pub(super) copies: u32,
    /// The approximate number of instructions of Go's program.
    pub(super) size: u64,
}

impl SizedNode {
    pub(super) fn leaf(node: RegexNode) -> Self {
        Self {
            node,
            height: 1,
            copies: 1,
            size: 1,
        }
    }

    pub(super) fn captured(self) -> Self {
        Self {
            node: RegexNode::Capture(Box::new(self.node)),
            height: self.height + 1,
            size: self.size + 2,
            copies: self.copies,
        }
    }

    /// `counted` distinguishes `{…}` from the operators, which do not count as copies.
    pub(super) fn repeated(self, min: u32, max: Option<u32>, greedy: bool, counted: bool) -> Self {
        let copies = match (counted, max.unwrap_or(min)) {
            // Go's `repeatIsValid` accepts `{0}` whatever is repeated.
            (true, 0) if max.is_some() => 1,
            (true, n) => self.copies.saturating_mul(n.max(1)),
            (false, _) => self.copies,
        };
        let size = match max {
            Some(max) => u64::from(max) * self.size + u64::from(max - min),
            None => 2 + u64::from(min.max(1)) * self.size,
        };
        let node = RegexNode::Repeat {
            sub: Box::new(self.node),
            min,
            max,
            greedy,
        };
        Self {
            node,
            height: self.height + 1,
            copies,
            size: size.max(1),
        }
    }

    /// Concatenates items. Adjacent literals merge, nested concatenations are flattened.
    pub(super) fn concat(pieces: Vec<Self>) -> Self {
        let merged = merge_literals(pieces);
        Self::collect(merged, RegexNode::Concat, |node| match node {
            RegexNode::Concat(items) => Ok(items),
            other => Err(other),
        })
    }

    /// The branches of a choice. Choices in the choice dissolve.
    pub(super) fn alternate(pieces: Vec<Self>) -> Self {
        // Go makes one class of single characters, which counts as one level.
        let is_class = pieces.iter().all(|piece| piece.node.is_one_char());
        let piece = Self::collect(pieces, RegexNode::Alternate, |node| match node {
            RegexNode::Alternate(items) => Ok(items),
            other => Err(other),
        });
        if is_class {
            Self { height: 1, ..piece }
        } else {
            piece
        }
    }

    /// Joins pieces to one node; `dissolve` returns the items of a piece that is such a node itself.
    fn collect(
        mut pieces: Vec<Self>,
        join: impl Fn(VecDeque<RegexNode>) -> RegexNode,
        dissolve: impl Fn(RegexNode) -> Result<VecDeque<RegexNode>, RegexNode>,
    ) -> Self {
        let only = if pieces.len() < 2 { pieces.pop() } else { None };
        if let Some(piece) = only {
            return piece;
        }
        let mut joined = Self::leaf(RegexNode::Empty);
        let mut items = VecDeque::new();
        let n_pieces = pieces.len() as u64;
        joined.size = n_pieces.saturating_sub(1);
        for piece in pieces {
            joined.copies = joined.copies.max(piece.copies);
            joined.size = joined.size.saturating_add(piece.size);
            let (more, levels) = match dissolve(piece.node) {
                // A node of the same kind dissolves, so it adds no level.
                Ok(more) => (more, piece.height),
                Err(node) => (VecDeque::from([node]), piece.height + 1),
            };
            joined.height = joined.height.max(levels);
            append(&mut items, more);
        }
        if !items.is_empty() {
            joined.node = join(items);
        }
        joined
    }
}

/// Appends `more` to `items` by moving the shorter list, so that deeply nested groups do not take quadratic time.
fn append(items: &mut VecDeque<RegexNode>, mut more: VecDeque<RegexNode>) {
    if more.len() > items.len() {
        for item in items.drain(..).rev() {
            more.push_front(item);
        }
        *items = more;
    } else {
        items.append(&mut more);
    }
}

fn merge_literals(pieces: Vec<SizedNode>) -> Vec<SizedNode> {
    let mut merged: Vec<SizedNode> = Vec::new();
    for mut piece in pieces {
        if let (
            Some(SizedNode {
                node: RegexNode::Literal { text, fold },
                size,
                ..
            }),
            SizedNode {
                node:
                    RegexNode::Literal {
                        text: more,
                        fold: same,
                    },
                size: more_size,
                ..
            },
        ) = (merged.last_mut(), &mut piece)
            && fold == same
        {
            text.push_str(more);
            *size += *more_size;
        } else {
            merged.push(piece);
        }
    }
    merged
}
