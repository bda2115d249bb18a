//! Patches of objects: strategic merge and JSON 6902.
