//! Collections in brackets.

use crate::yaml::read::parse::{Props, YamlParser};
use crate::yaml::read::syntax::{self, SyntaxResult};
use crate::yaml::read::tape::ItemKind;

impl<'a> YamlParser<'a> {
    /// Parses the list or map whose opening bracket is here.
    pub(super) fn flow(&mut self, props: Props<'a>) -> SyntaxResult {
        let start = self.at.pos;
        let is_map = self.at.byte() == Some(b'{');
        let item = self.tape.open(
            start,
            if is_map { ItemKind::MAP } else { ItemKind::SEQ },
            props.anchor,
        )?;
        self.at.flow += 1;
        self.at.pos += 1;
        self.at.keys = true;
        let len = self.flow_entries(start, is_map)?;
        self.at.pos += 1;
        self.at.flow -= 1;
        self.at.keys = false;
        self.tape.close(item, len, Some(self.at.pos));
        Ok(())
    }

    fn flow_entries(&mut self, start: usize, is_map: bool) -> SyntaxResult<usize> {
        let close = if is_map { b'}' } else { b']' };
        let mut len = 0;
        loop {
            if self.next_in_flow(start)? == close {
                return Ok(len);
            }
            if is_map {
                self.flow_entry(start)?
            } else {
                self.flow_item(start)?
            }
            len += 1;
            match self.next_in_flow(start)? {
                b',' => self.at.pos += 1,
                byte if byte == close => return Ok(len),
                byte => return Err(syntax::separator(self.at.text, start, self.at.pos, byte)),
            }
            self.at.keys = true;
        }
    }

    /// Passes to the next token; the bracket at `start` is still open.
    fn next_in_flow(&mut self, start: usize) -> SyntaxResult<u8> {
        self.at.next_token()?;
        match self.at.byte() {
            Some(byte) if !self.at.is_end() => Ok(byte),
            Some(_) | None => Err(syntax::unclosed_bracket(self.at.text, start)),
        }
    }

    /// Parses a value of a list, which may be a map of one key without brackets.
    fn flow_item(&mut self, open: usize) -> SyntaxResult {
        let start = self.here();
        if self.at.byte() == Some(b'?') {
            let map = self.tape.open(start.pos, ItemKind::MAP, None)?;
            self.explicit_entry(open)?;
            self.tape.close(map, 1, None);
            return Ok(());
        }
        let props = self.props()?;
        if let Some(b'[' | b'{') = self.at.byte() {
            self.flow(props)?;
            // In a list, `[a]: b` would be a map with a list as its key.
            return if self.is_key(start) {
                Err(syntax::collection_as_key(start.pos))
            } else {
                Ok(())
            };
        }
        let leaf = self.leaf(props)?;
        if !self.is_key(start) {
            return self.push_leaf(leaf, props);
        }
        let map = self.tape.open(start.pos, ItemKind::MAP, None)?;
        self.push_leaf(leaf, props)?;
        self.flow_value()?;
        self.tape.close(map, 1, None);
        Ok(())
    }

    /// Parses a key of a map and its value, if it has one.
    fn flow_entry(&mut self, open: usize) -> SyntaxResult {
        if self.at.byte() == Some(b'?') {
            return self.explicit_entry(open);
        }
        let start = self.here();
        self.flow_node()?;
        // `{a, b: 1}`: a key without a colon has the value null.
        if self.is_key(start) {
            self.flow_value()
        } else {
            self.null(self.last_end())
        }
    }

    /// Parses a key with a `?` before it, and its value, if it has one.
    fn explicit_entry(&mut self, open: usize) -> SyntaxResult {
        self.at.pos += 1;
        self.at.keys = false;
        match self.next_in_flow(open)? {
            b':' | b',' | b']' | b'}' => self.null(self.at.pos)?,
            _ => self.flow_node()?,
        }
        if self.next_in_flow(open)? == b':' {
            self.flow_value()
        } else {
            self.null(self.last_end())
        }
    }

    /// Parses the value of the `:` that is here.
    fn flow_value(&mut self) -> SyntaxResult {
        self.at.pos += 1;
        let after = self.at.pos;
        self.at.keys = false;
        self.at.next_token()?;
        match self.at.byte() {
            Some(b',' | b']' | b'}') | None => self.null(after),
            Some(_) => self.flow_node(),
        }
    }

    fn flow_node(&mut self) -> SyntaxResult {
        let props = self.props()?;
        if let Some(b'[' | b'{') = self.at.byte() {
            return self.flow(props);
        }
        let leaf = self.leaf(props)?;
        self.push_leaf(leaf, props)
    }
}
