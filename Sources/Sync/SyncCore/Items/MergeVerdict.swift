/// The outcome of meeting a record of another device.
package enum MergeVerdict: Hashable, Sendable {
    /// The record replaces the local version. With a reason, the local content is kept as a conflict version first.
    case take(keepingLocal: ConflictReason?)
    /// The local version stays. With a reason, the content of the record is kept as a conflict version.
    case keep(keepingRecord: ConflictReason?)
    /// The record is the local version.
    case same

    /// Decides between a record and the local row of its name.
    ///
    /// The greater version wins, tombstones included. The rest of the decision is about the content that loses. It must be kept
    /// unless the winner's author had it: the version that a record names as its base does not tell, because a version below the base
    /// may have been written at the same time as the base.
    /// - Parameters:
    ///   - authorHadLocal: the author of the record (or of the snapshot that contains it) had applied the local version.
    ///   - localAuthorHadRecord: the author of the local version had applied the record, or this device did so before.
    package init(
        of record: SyncRecord, over local: KnownItem?, authorHadLocal: Bool, localAuthorHadRecord: Bool
    ) {
        guard let local else {
            self = .take(keepingLocal: nil)
            return
        }
        if record.version == local.version {
            self = .same
        } else if record.version > local.version {
            self = .take(keepingLocal: Self.reason(toKeep: local, under: record, authorHadLocal: authorHadLocal))
        } else {
            let isLost = record.isLive && record.digest != local.digest && !localAuthorHadRecord
            self = .keep(keepingRecord: isLost ? .overruled : nil)
        }
    }

    private static func reason(
        toKeep local: KnownItem, under record: SyncRecord, authorHadLocal: Bool
    ) -> ConflictReason? {
        guard local.state == .live else { return nil }
        if record.state == .gone { return .deleted }
        return !authorHadLocal && record.digest != local.digest ? .overruled : nil
    }
}

extension SyncRecord {
    fileprivate var isLive: Bool {
        if case .live = state { true } else { false }
    }
}
