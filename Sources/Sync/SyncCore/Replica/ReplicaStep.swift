/// A step of the protocol that a replica can be in the middle of. It can be in several at once.
package enum ReplicaStep: UInt8, Hashable, Sendable, CaseIterable {
    case atRest
    /// The heads of the store were asked for.
    case readingHeads
    case readingSegments
    case loadingSnapshot
    /// Segments are here that cannot be applied yet.
    case pending
    /// The device reads what the circle has before it publishes its own items.
    case joining
    /// Changes have no version, or are in no segment.
    case unpublished
    /// The own head of the store was asked for.
    case comparing
    case creatingSegments
    case writingHead
    case writingSnapshot
    /// The own snapshot is not known to be in the store as it was written.
    case readingBack
}

extension SyncReplica {
    /// The steps that the device is in the middle of.
    package var steps: Set<ReplicaStep> {
        var steps: Set<ReplicaStep> = []
        switch reading.step {
        case .idle: break
        case .heads: steps.insert(.readingHeads)
        case .segments: steps.insert(.readingSegments)
        case .snapshot: steps.insert(.loadingSnapshot)
        }
        switch publication.step {
        case .idle: break
        case .comparing: steps.insert(.comparing)
        case .creating: steps.insert(.creatingSegments)
        case .writingHead: steps.insert(.writingHead)
        }
        if writing.draft != nil { steps.insert(.writingSnapshot) }
        if let snapshot = state.snapshot, !snapshot.wasReadBack { steps.insert(.readingBack) }
        if !state.pending.isEmpty { steps.insert(.pending) }
        if !state.hasJoined { steps.insert(.joining) }
        if waitingChanges > 0 { steps.insert(.unpublished) }
        return steps.isEmpty ? [.atRest] : steps
    }
}
