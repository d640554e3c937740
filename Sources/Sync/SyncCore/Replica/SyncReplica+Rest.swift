/// The progress of the replica, for people.
extension SyncReplica {
    /// True if nothing is in flight and nothing waits: neither a change of this device, nor something that the store showed.
    package var isAtRest: Bool {
        guard isActive, state.hasJoined, waitingChanges == 0, state.pending.isEmpty, !state.isLoading,
            !reading.isInterrupted
        else {
            return false
        }
        return publication.step == .idle && reading.step == .idle && state.head?.number == publication.storedHead
            && ZoneClass.allCases.allSatisfy {
                publication.stored[$0] >= state.vector[StreamIdentifier(state.device, $0)]
            }
            && otherMembers.allSatisfy(isReadWhole)
    }

    /// The number of changes of this device that are in no segment yet.
    package var waitingChanges: Int { waiting.count + index.unpublished.count }

    /// The number of changes of this device that the store is not known to have.
    package var unstoredChanges: Int {
        waitingChanges
            + state.items.values.count { item in
                guard let dot = item.dot, dot.stream.device == state.device else { return false }
                return dot.number > state.confirmed[dot.stream.zone]
            }
    }

    private func isReadWhole(_ member: DeviceIdentifier) -> Bool {
        guard let body = state.seen[member]?.body else { return true }
        return ZoneClass.allCases.allSatisfy { state.vector[StreamIdentifier(member, $0)] >= body.streams[$0].last }
    }
}
