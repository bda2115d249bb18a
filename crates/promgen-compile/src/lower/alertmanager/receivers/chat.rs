//! Receivers that write into a chat.

pub(in crate::lower::alertmanager) mod discord;
pub(in crate::lower::alertmanager) mod mattermost;
pub(in crate::lower::alertmanager) mod msteams;
pub(in crate::lower::alertmanager) mod msteamsv2;
pub(in crate::lower::alertmanager) mod rocketchat;
pub(in crate::lower::alertmanager) mod slack;
pub(in crate::lower::alertmanager) mod telegram;
pub(in crate::lower::alertmanager) mod webex;
pub(in crate::lower::alertmanager) mod wechat;
