internal import LatchkeyEncoding
internal import LatchkeyItemDatabase
internal import LatchkeyItemModel
internal import LatchkeyKeychainMessages
internal import LatchkeyKeychainService
internal import LatchkeySyncCore
internal import LatchkeySyncKeys
internal import LatchkeySyncStore

/// Leaving the circle.
extension CircleKeeper {
    /// Tells the circle that this device leaves, unless it does not belong to it any more.
    func tellLeaving(_ engine: SyncEngine, _ question: LeaveCircle) throws {
        // A copy that ran twice says nothing: its statement would take the other one out of the circle, too.
        let isCopy = engine.alarms.contains(.identityDuplicated)
        guard !isCopy || question.isForced else { throw CircleFailure(.syncIdentityDuplicated) }
        if !isCopy, engine.membership.members.contains(engine.device) {
            if !question.isForced { try requirePassedOn(by: engine) }
            do {
                try withPasscodeProved(question.passcode) { try engine.leave(provedIn: $0) }
            } catch {
                // The statement key may have gone with a former passcode: the others have to remove this device.
                guard question.isForced, error is SigningFailure else { throw error }
            }
        }
        guard !question.isForced else { return }
        // A device that has forgotten the circle could not tell the others later.
        guard try engine.hasPutOutStatements() else {
            if let failure = engine.writeFailure { throw failure }
            throw CircleFailure(
                .syncNotPassedOn, "The store does not show yet that this device leaves.",
                "Repeat the command, or leave with --force: then remove this device on another one.")
        }
    }

    /// Refuses while the others could not hear of it, and while none of them has every change of this device.
    private func requirePassedOn(by engine: SyncEngine) throws {
        // A store that is away shows before anything is written, and before the others are waited for in vain.
        _ = try engine.store.list(.heads)
        // Another device may have said since the last exchange what it has.
        if engine.isTakingPart { engine.exchange() }
        guard !engine.hasPassedOnAll else { return }
        if let failure = engine.storeFailure { throw failure }
        let missing = MissingAcknowledgement(engine, try parts.items.deviceLabels(engine.environment.keyring))
        throw CircleFailure(.syncNotPassedOn, missing.reason, missing.advice)
    }
}

/// The changes of a device that no other one has said to have, in words.
struct MissingAcknowledgement {
    private let waitingChanges: Int
    /// The names of the other members, in the order of their identifiers.
    private let others: [String]
    /// The changes that the member lacks which lacks the fewest.
    private let lackedChanges: Int
    private let interval: UInt64

    fileprivate init(_ engine: SyncEngine, _ labels: [DeviceIdentifier: DeviceDescription]) {
        let (state, device) = (engine.state, engine.device)
        let members = engine.membership.members.filter { $0 != device }.sorted()
        waitingChanges = engine.waitingChanges
        others = members.map { labels[$0]?.name ?? String(Hexadecimal.text($0.bytes).prefix(8)) }
        lackedChanges =
            members.map { member in
                let known = state.seen[member]?.body.vector ?? VersionVector()
                return state.items.values.count { item in
                    guard let dot = item.dot, dot.stream.device == device else { return false }
                    return !known.covers(dot)
                }
            }.min() ?? 0
        interval = engine.parts.limits.acknowledgementInterval
    }

    var reason: String {
        guard waitingChanges == 0 else {
            return "The store does not have \(Self.text(waitingChanges)) of this device yet."
        }
        // Work that was left for a caller who waits.
        guard let first = others.first else { return "This device has not finished its exchange." }
        // A change of which nothing is left, such as one that a later change replaced, has to be passed on as well.
        let changes = Self.text(max(lackedChanges, 1))
        guard others.count > 1 else {
            return "The device \(first) has not said yet that it has \(changes) of this device."
        }
        return
            "None of the devices \(others.joined(separator: ", ")) has said yet that it has \(changes) of this device."
    }

    var advice: String {
        guard waitingChanges == 0 else {
            return "Look at latchkey sync status, which says what they wait for, or leave with --force."
        }
        return
            "A device that is on says so within \(Self.time(interval)): repeat the command then, or leave with --force."
    }

    private static func text(_ count: Int) -> String { count == 1 ? "1 change" : "\(count) changes" }

    private static func time(_ interval: UInt64) -> String {
        let minutes = interval / ReplicaLimits.minute
        return minutes > 0 ? "\(minutes) minutes" : "\(interval / ReplicaLimits.second) seconds"
    }
}
