use crate::kind::{Kind, Val};

/// The tangents of a node along `N` directions.
pub enum NodeTangents<'n, K: Kind, const N: usize> {
    /// The node does not depend on the directions.
    Zero,
    /// Tangents of a variable.
    Borrowed(&'n [Val<K>; N]),
    /// Computed tangents.
    Owned([Val<K>; N]),
}
debug_by_name! { ['n, K: Kind, const N: usize] NodeTangents<'n, K, N> }
impl<'n, K: Kind, const N: usize> NodeTangents<'n, K, N> {
    #[inline(always)]
    pub(crate) fn borrowed(tangents: Option<&'n [Val<K>; N]>) -> Self {
        tangents.map_or(NodeTangents::Zero, NodeTangents::Borrowed)
    }
    #[inline(always)]
    pub(crate) fn owned(tangents: Option<[Val<K>; N]>) -> Self {
        tangents.map_or(NodeTangents::Zero, NodeTangents::Owned)
    }
    /// Returns the tangents, or `None` if all are zero.
    #[inline(always)]
    pub fn get(&self) -> Option<&[Val<K>; N]> {
        match self {
            NodeTangents::Zero => None,
            NodeTangents::Borrowed(tangents) => Some(tangents),
            NodeTangents::Owned(tangents) => Some(tangents),
        }
    }
    /// Returns the tangents by value, or `None` if all are zero.
    #[inline(always)]
    pub fn own(self) -> Option<[Val<K>; N]> {
        match self {
            NodeTangents::Zero => None,
            NodeTangents::Borrowed(tangents) => Some(tangents.clone()),
            NodeTangents::Owned(tangents) => Some(tangents),
        }
    }
}
