/// The rules by which the transactions of programs keep their changes, of which a test can leave one out.
struct WritingRules {
    /// The transaction of a call makes its version. Off: the engine does, when it meets the change.
    var callsMakeVersions = true
    /// In a full epoch a change waits for the next. Off: the clock stays, and versions are equal.
    var fullEpochsWait = true
    /// A primary key change without keys gives the former name its deletion at once.
    var formerNamesEndAtOnce = true
    /// The transaction that applies something looks for calls without names. Off: only the engine does, before.
    var transactionsLookForNames = true
    /// The transaction that gives an item its first version looks for calls of the item.
    var firstVersionsLookForCalls = true
    /// A restored row stays deleted if there is a newer deletion, also one that was forgotten.
    var restoresLookAtDeletions = true
    /// A restored row stays deleted by a newer deletion that was not met, and over another call a restore is one itself.
    var restoresLookAtCalls = true
    /// Every restore is a call.
    var restoresAreCalls = false
    /// A deletion of an item that never left its device counts as a call.
    var countsVoidDeletions = false
    /// The version of a restored row has its modification date.
    var restoresHaveTheirDate = false
    /// It is stored with a row that is named again that its version has it. Off: its date tells that.
    var namedAgainIsStored = true
}
