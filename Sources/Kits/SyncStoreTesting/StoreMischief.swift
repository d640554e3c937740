/// A way in which a hostile or broken store treats a call. The seed of a ``StoreAdversary`` chooses the calls.
package enum StoreMischief: Hashable, Sendable, CaseIterable {
    /// The call fails, and nothing was done.
    case fails
    /// Everything was done, and the call fails all the same.
    case failsAfterwards
    /// A write is acknowledged and forgotten.
    case forgets
    /// An object that is new, or has the same bytes, is called taken.
    case liesAboutTaken
    /// The own head is called replaced.
    case liesAboutHead
    /// A listing lacks names.
    case hidesNames
    /// A listing has names of objects that do not exist.
    case inventsNames
    /// An answer lacks objects.
    case hidesObjects
    case flipsBit
    case truncates
    /// Two objects of an answer change their places.
    case swaps
    /// An object comes as it was at some time before.
    case servesFormer
    /// A wait ends without a reason.
    case wakes
    /// A wait does not end at a change.
    case sleeps
}
