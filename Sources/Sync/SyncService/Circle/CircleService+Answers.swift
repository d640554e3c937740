package import LatchkeyEnclaveContract
internal import LatchkeyEncoding
internal import LatchkeyItemModel
internal import LatchkeyKeybag
package import LatchkeyKeychainMessages
internal import LatchkeyKeychainService
internal import LatchkeySyncCore
internal import LatchkeySyncKeys
internal import LatchkeySyncStore
internal import LatchkeyThreading

/// The owner's questions about membership.
extension CircleService {
    package func answer(_ question: CreateCircle) throws(CircleFailure) -> NewRecoveryCode {
        let place = CirclePlaceSettings(store: question.store, deviceName: question.deviceName)
        return try answering { keeper in
            try keeper.requireNoCircle()
            let code = RecoveryCode(generating: parts.entropy)
            let sync = try parts.sync(place)
            // A store that cannot be used is found out now, and not by the second device.
            let engine = try keeper.trying(place) {
                _ = try sync.stores.circles()
                return try keeper.withPasscodeProved(question.passcode) { context in
                    try SyncEngine.found(
                        sync, recovery: RecoveryKeys(code), provedIn: context, storing: place.write)
                }
            }
            keeper.take(engine, place)
            if case .refused? = engine.storeFailure, let failure = engine.storeFailure {
                // A folder that cannot be written is more likely a mistake than a passing state: nothing is founded.
                try keeper.forget()
                throw CircleFailure(failure, place.store)
            }
            return NewRecoveryCode(code.text)
        }
    }

    package func answer(_ question: InviteDevice) throws(CircleFailure) -> NewInvitation {
        try answering { keeper in
            let engine = try keeper.member()
            keeper.endInvitation()
            let code = InvitationCode(generating: parts.entropy)
            let invitation = Invitation(
                circle: engine.circle, founding: try engine.signedStatements.founding,
                statementHeads: engine.membership.statementHeads, member: engine.device)
            let open = OpenInvitation(code, invitation, at: parts.uptime)
            try open.write(to: engine.store)
            keeper.invitation = open
            return NewInvitation(code.text, expires: open.expires(by: parts.clock))
        }
    }

    package func answer(_ question: CancelInvitation) throws(CircleFailure) -> RemovedCount {
        try answering { keeper in
            defer { keeper.endInvitation() }
            return RemovedCount(keeper.invitation == nil ? 0 : 1)
        }
    }

    package func answer(_ question: ListJoinRequests) throws(CircleFailure) -> [WaitingDevice] {
        try answering { keeper in
            guard let (request, device) = try keeper.joinRequest(question.fingerprint) else { return [] }
            return [
                WaitingDevice(
                    identifier: request.keys.identifier.bytes,
                    fingerprint: FingerprintText(DeviceFingerprint(of: request.keys, in: request.circle)),
                    description: device.map { .init(name: $0.name, system: $0.system) })
            ]
        }
    }

    package func answer(_ question: ApproveDevice) throws(CircleFailure) -> Done {
        try answering { keeper in
            let engine = try keeper.member()
            guard let (request, description) = try keeper.joinRequest(question.fingerprint),
                request.keys.identifier.bytes == question.identifier
            else { throw CircleFailure(.itemNotFound, Refusal(.syncNoRequest)) }
            try keeper.withPasscodeProved(question.passcode) { try engine.admit(request.keys, provedIn: $0) }
            // A device without a code has not answered the invitation, and removes its request itself.
            if description != nil { keeper.endInvitation() }
            return Done()
        }
    }

    package func answer(_ question: RemoveDevice) throws(CircleFailure) -> RemovedDevice {
        try answering { keeper in
            let engine = try keeper.member()
            guard let device = DeviceIdentifier(question.identifier), engine.membership.members.contains(device) else {
                throw CircleFailure(.itemNotFound, Refusal(.syncUnknownDevice))
            }
            guard device != engine.device else { throw CircleFailure(.param, Refusal(.syncRemovesItself)) }
            var code: RecoveryCode?
            if engine.membership.needsNewRecoveryKeys(removing: device) {
                code = RecoveryCode(generating: parts.entropy)
            }
            // Counted before: nothing may fail once the new code exists.
            let readable = (try? parts.items.sharedItemsByGroup()) ?? [:]
            try keeper.withPasscodeProved(question.passcode) { context in
                try engine.remove(
                    device, erases: question.deletesItems, newRecovery: code.map { RecoveryKeys($0) },
                    provedIn: context)
            }
            return RemovedDevice(
                recoveryCode: code?.text, readableItems: readable.mapValues(Int64.init))
        }
    }

    package func answer(_ question: LeaveCircle) throws(CircleFailure) -> Done {
        try answering { keeper in
            // A circle whose tables are damaged has no place, and something to forget.
            guard keeper.place != nil || keeper.trouble != nil else { throw CircleFailure.notAMember }
            if keeper.isPaused {
                // The others would not hear of it; by force they do, in spite of the pause.
                guard question.isForced else { throw CircleFailure(.syncPaused) }
                keeper.open(resting: false)
            }
            if let engine = keeper.engine {
                try keeper.tellLeaving(engine, question)
            } else if keeper.membership != nil, !question.isForced {
                throw keeper.absence
            }
            if question.deletesItems { try parts.items.deleteSharedItems() }
            try keeper.forget()
            return Done()
        }
    }

    package func answer(_ question: ReplaceRecoveryCode) throws(CircleFailure) -> NewRecoveryCode {
        try answering { keeper in
            let engine = try keeper.member()
            let code = RecoveryCode(generating: parts.entropy)
            try keeper.withPasscodeProved(question.passcode) { context in
                try engine.replaceRecovery(by: RecoveryKeys(code), provedIn: context)
            }
            return NewRecoveryCode(code.text)
        }
    }

    package func answer(_ question: ExchangeNow) throws(CircleFailure) -> Done {
        // The lock state may have changed, and nothing has told the worker yet.
        var causes: CircleCauses = [.keys, .hint, .items]
        var hasMore = true
        while hasMore {
            hasMore = try answering { keeper in
                guard let place = keeper.place else { throw CircleFailure.notAMember }
                guard !keeper.isPaused else { throw CircleFailure(.syncPaused) }
                keeper.work(causes)
                guard !keeper.hasLeftWork else { return true }
                if let trouble = keeper.trouble ?? keeper.joiningTrouble { throw trouble }
                // A removed or copied device writes nothing. One that waits to be admitted has looked whether it is.
                if keeper.membership != nil { _ = try keeper.member() }
                if let failure = keeper.engine?.storeFailure { throw CircleFailure(failure, place.store) }
                return false
            }
            causes = []
        }
        return Done()
    }

    package func answer(_ question: PauseSync) throws(CircleFailure) -> Done {
        try answering { keeper in
            guard keeper.place != nil else { throw CircleFailure.notAMember }
            try keeper.pause(question.pauses)
            return Done()
        }
    }

    package func answer(_ question: MoveCircle) throws(CircleFailure) -> Done {
        try answering { keeper in
            _ = try keeper.member()
            try keeper.withPasscodeProved(question.passcode) { _ in try keeper.move(to: question.store) }
            return Done()
        }
    }

    package func answer(_ question: DeleteCircle) throws(CircleFailure) -> RemovedCount {
        try answering { keeper in
            let engine = try keeper.member()
            guard engine.membership.members.count == 1 else { throw CircleFailure(.syncNotAlone) }
            return try keeper.withPasscodeProved(question.passcode) { _ in
                let count = try keeper.removeObjects()
                try keeper.forget()
                return RemovedCount(count)
            }
        }
    }

    package func answer(_ question: ChangeCircleKeys) throws(CircleFailure) -> Done {
        try answering { keeper in
            try keeper.member().changeKeys()
            return Done()
        }
    }

    package func answer(_ question: ShareGroup) throws(CircleFailure) -> GroupSharing {
        try answering { keeper in
            let engine = try keeper.member()
            var groups = engine.membership.settings.allowedGroups
            guard let group = GroupName(Array(question.group.utf8)) else {
                throw CircleFailure(.param, Refusal(.syncGroupNotAllowed, groups.count))
            }
            if SharingRules.shares(group: question.group, allowed: []) {
                // No setting of the circle changes that: its items would travel all the same.
                guard question.isShared else {
                    throw CircleFailure(.param, Refusal(as: .groupSharedByKind, question.group))
                }
                return GroupSharing(false)
            }
            if question.isShared { groups.insert(group) } else { groups.remove(group) }
            guard groups.count <= StatementLimits.groups else {
                throw CircleFailure(.param, Refusal(.syncGroupNotAllowed, StatementLimits.groups))
            }
            guard groups != engine.membership.settings.allowedGroups else { return GroupSharing(false) }
            try keeper.withPasscodeProved(question.passcode) { try engine.allow(groups, provedIn: $0) }
            return GroupSharing(true)
        }
    }

    package func answer(_ question: AwaitSync) throws(CircleFailure) -> SyncProgress {
        progress(after: question.known, until: Cancellation(seconds: Double(question.seconds)))
    }
}

extension CircleKeeper {
    /// The engine of a member. Throws the reason why there is none.
    func member() throws -> SyncEngine {
        guard let engine else { throw absence }
        let state = engine.membership
        guard state.members.contains(engine.device) else {
            throw CircleFailure(state.voidlyAdmitted.contains(engine.device) ? .syncAdmissionVoid : .syncRemoved)
        }
        guard !engine.alarms.contains(.identityDuplicated) else { throw CircleFailure(.syncIdentityDuplicated) }
        return engine
    }

    /// The reason why there is no engine.
    var absence: CircleFailure {
        if let trouble { return trouble }
        guard membership == nil else { return CircleFailure(isPaused ? .syncPaused : .syncNotAMember) }
        return joining.map { CircleFailure.waiting($0, .notAdmittedYet) } ?? CircleFailure.notAMember
    }

    func requireNoCircle() throws {
        guard place == nil else {
            guard membership == nil, let joining else { throw CircleFailure.alreadyMember }
            throw CircleFailure.waiting(joining, .waitsForAdmission)
        }
        guard let status = try? parts.enclave.ask(AskStatus()) else { throw CircleFailure.locked }
        switch status.lockState {
        case .noPasscode: throw CircleFailure(.syncNeedsPasscode)
        case .beforeFirstUnlock, .locked: throw CircleFailure.locked
        case .unlocked: return
        }
    }

    /// Does what needs a store, and gives the store back if it failed and no circle needs it.
    func trying<R>(_ place: CirclePlaceSettings, _ body: () throws -> R) throws -> R {
        do {
            return try body()
        } catch {
            if self.place == nil { parts.host.release() }
            throw CircleFailure(error, place.store)
        }
    }
}
