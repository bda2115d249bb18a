//! Types of Kubernetes that are parts of the operator's resources.

pub mod affinity;
pub mod container;
pub mod disk;
pub mod probe;
pub mod projected;
pub mod reference;
pub mod security;
pub mod storage;
pub mod volume;

pub use affinity::*;
pub use container::*;
pub use disk::*;
pub use probe::*;
pub use projected::*;
pub use reference::*;
pub use security::*;
pub use storage::*;
pub use volume::*;
