//! Nodes and collections by indentation.

use crate::yaml::read::parse::{Leaf, Preceding, Props, Start, YamlParser, both};
use crate::yaml::read::syntax::{self, SyntaxResult};
use crate::yaml::read::tape::ItemKind;
use crate::yaml::read::text;

impl<'a> YamlParser<'a> {
    /// Parses the node that starts here, with properties from lines before. After a key, a list may stand in the key's
    /// column.
    pub(super) fn node(&mut self, given: Props<'a>, before: Preceding) -> SyntaxResult {
        let start = self.here();
        let own = self.props()?;
        if !own.is_empty() && self.at.line != start.line {
            let props = both(given, own, start.pos)?;
            // Properties on a line of their own belong to what follows on the next one, if anything does.
            return if self.has_content(before) {
                self.node(props, before)
            } else {
                self.empty(self.end_of(start), props)
            };
        }
        match self.at.byte() {
            Some(b'-' | b'?') if self.at.is_blank_at(self.at.pos + 1) => self.collection(given),
            Some(b'[' | b'{') => {
                let props = both(given, own, start.pos)?;
                self.flow(props)?;
                self.no_key(start)
            }
            Some(b'|' | b'>') => {
                let scanned = text::block(&mut self.at, self.indent)?;
                let props = both(given, own, start.pos)?;
                self.push(scanned, props)
            }
            Some(_) | None => self.scalar_or_map(given, own, start),
        }
    }

    /// The end of the text of a line that the cursor has left: the place of an empty node behind properties.
    fn end_of(&self, start: Start) -> usize {
        start.pos
            + self.at.text[start.pos..self.at.line_end(start.pos)]
                .trim_ascii_end()
                .len()
    }

    /// Parses a list or a map that starts with its indicator.
    fn collection(&mut self, given: Props<'a>) -> SyntaxResult {
        let start = self.here();
        if !start.keys {
            return Err(syntax::misplaced_indicator(self.at.text, start.pos));
        }
        if self.at.byte() == Some(b'-') {
            self.list(given, start.column)
        } else {
            self.map(given, start, None)
        }
    }

    /// Parses a scalar or an alias, and the map if it turns out to be a key.
    fn scalar_or_map(&mut self, given: Props<'a>, own: Props<'a>, start: Start) -> SyntaxResult {
        let leaf = self.leaf(own)?;
        if self.is_key(start) {
            return self.map(given, start, Some((leaf, own)));
        }
        let props = both(given, own, start.pos)?;
        self.push_leaf(leaf, props)?;
        self.no_key(start)
    }

    /// Sees to it that no `:` makes a key of the value that has ended here and cannot be one.
    fn no_key(&mut self, start: Start) -> SyntaxResult {
        if self.is_key(start) {
            return Err(syntax::collection_as_key(start.pos));
        }
        // Where keys may start, a lone `:` belongs to an explicit key, and the caller looks at it.
        if !self.at.keys && self.at.is_indicator(b':') {
            return Err(syntax::colon(self.at.text, start.pos, self.at.pos));
        }
        Ok(())
    }

    /// Parses the entries of a list, from the first `-` on.
    fn list(&mut self, given: Props<'a>, column: usize) -> SyntaxResult {
        let list = self.tape.open(self.at.pos, ItemKind::SEQ, given.anchor)?;
        let outer = self.indent.replace(column);
        let mut len = 0;
        loop {
            self.at.pos += 1;
            self.at.keys = true;
            self.content(Preceding::Other)?;
            len += 1;
            if !self.next_entry(column)? {
                break;
            }
            if !self.at.is_indicator(b'-') {
                // A list in the column of its key ends with the next key.
                if outer == Some(column) {
                    break;
                }
                return Err(syntax::entry_expected(self.at.pos));
            }
        }
        self.indent = outer;
        self.tape.close(list, len, None);
        Ok(())
    }

    /// Parses the entries of a map. The first key may have been read; otherwise its `?` is here.
    fn map(
        &mut self,
        given: Props<'a>,
        start: Start,
        first: Option<(Leaf<'a>, Props<'a>)>,
    ) -> SyntaxResult {
        let map = self.tape.open(start.pos, ItemKind::MAP, given.anchor)?;
        let outer = self.indent.replace(start.column);
        let mut has_value = match first {
            Some((leaf, props)) => self.push_leaf(leaf, props).map(|()| true)?,
            None => self.key(start.column)?,
        };
        let mut len = 0;
        loop {
            if has_value {
                self.at.pos += 1;
                self.content(Preceding::Key)?;
            } else {
                self.null(self.last_end())?;
            }
            len += 1;
            if !self.next_entry(start.column)? {
                break;
            }
            has_value = self.key(start.column)?;
        }
        self.indent = outer;
        self.tape.close(map, len, None);
        Ok(())
    }

    /// Parses what follows an indicator, which may be nothing.
    fn content(&mut self, before: Preceding) -> SyntaxResult {
        let after = self.at.pos;
        self.at.next_token()?;
        if self.has_content(before) {
            self.node(Props::default(), before)
        } else {
            self.null(after)
        }
    }

    /// Passes to the next token; whether it stands in the column of the collection's entries.
    fn next_entry(&mut self, column: usize) -> SyntaxResult<bool> {
        self.at.next_token()?;
        if self.at.is_end() || self.at.column() < column {
            return Ok(false);
        }
        if self.at.column() == column {
            Ok(true)
        } else {
            Err(self.left_over())
        }
    }

    /// Parses a key; whether a value follows, whose `:` is then here.
    fn key(&mut self, column: usize) -> SyntaxResult<bool> {
        if self.at.is_indicator(b'?') {
            self.at.pos += 1;
            self.at.keys = true;
            self.content(Preceding::Key)?;
            self.at.next_token()?;
            // The `:` of an explicit key stands in the column of its `?`, or there is no value.
            return Ok(self.at.column() == column && self.at.is_indicator(b':'));
        }
        let start = self.here();
        if self.at.is_indicator(b'-') || matches!(self.at.byte(), Some(b'[' | b'{' | b'|' | b'>')) {
            return Err(syntax::key_expected(self.at.text, start.pos));
        }
        if self.at.is_indicator(b':') {
            // A `:` without a key: the key is null.
            self.null(start.pos)?;
            return Ok(true);
        }
        let props = self.props()?;
        let leaf = self.leaf(props)?;
        if !self.is_key(start) {
            return Err(syntax::no_colon(self.at.text, start.pos));
        }
        self.push_leaf(leaf, props)?;
        Ok(true)
    }
}
