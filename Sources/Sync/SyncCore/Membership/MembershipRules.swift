/// The rules of membership that tests can switch off one by one, to see that each is needed (Docs/Design/027-sync.md).
package struct MembershipRules: Hashable, Sendable {
    /// Rule 1: the author is a member, or its recovery keys are current, on the statement's past.
    package var authorsAreMembers = true
    /// Rule 1: the index is one more than that of the author's last statement in the past.
    package var indexesFollow = true
    /// A removal names a device whose admission it knows. Otherwise a removed device could remove every future one.
    package var removalsNameKnownDevices = true
    /// Rule 2: a valid removal takes effect even if its author is removed concurrently.
    package var removalsAlwaysTakeEffect = true
    /// Rule 3: an admission is void if a removal of its author does not know it.
    package var voidsUnseenAdmissions = true
    /// Rule 3: the same for an epoch, also for one inside a removal.
    package var voidsUnseenEpochs = true
    /// Rule 3: the same for recovery keys and settings.
    package var voidsUnseenRecovery = true
    /// Rule 3: a statement is void if the admission of its author, or the recovery keys that sign it, are void.
    package var voidsWhatRestsOnVoid = true
    /// Rule 3: a statement signed with recovery keys is void if a replacement of the keys does not know it.
    package var voidsUnseenByReplacement = true
    /// The removal of a device ends the recovery keys that it had set after the founding.
    package var removalsEndRecoveryKeys = true
    /// Rule 5: no recipient of the epoch for writing is removed.
    package var writingExcludesRemoved = true
    /// Removals that are not void say which segments count, before those that are void, and these before `leave`.
    package var standingRemovalsCount = true

    package init() {}
}
