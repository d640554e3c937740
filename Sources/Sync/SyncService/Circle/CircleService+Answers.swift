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

extension CircleService: CircleAnswers {
    package func answer(_ question: CreateCircle) throws(CircleFailure) -> NewRecoveryCode {
        let place = CirclePlaceSettings(store: question.store, deviceName: question.deviceName)
        return try answering { keeper in
            try keeper.requireNoCircle()
            let code = RecoveryCode(generating: parts.entropy)
            let sync = try parts.sync(place)
            // A store that cannot be used is found out now, and not by the second device.
            _ = try keeper.reaching(place.store) { () throws(StoreFailure) in try sync.stores.circles() }
            let engine = try keeper.withPasscodeProved(question.passcode) { context in
                try SyncEngine.found(
                    sync, recovery: RecoveryKeys(code), provedIn: context, storing: place.write)
            }
            keeper.take(engine, place)
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
            try keeper.reaching { try open.write(to: engine.store) }
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
            guard let (request, device) = try keeper.joinRequest() else { return [] }
            return [
                WaitingDevice(
                    identifier: request.keys.identifier.bytes, deviceName: device.name, system: device.system)
            ]
        }
    }

    package func answer(_ question: ApproveDevice) throws(CircleFailure) -> Done {
        try answering { keeper in
            let engine = try keeper.member()
            guard let (request, _) = try keeper.joinRequest(),
                request.keys.identifier.bytes == question.identifier
            else { throw CircleFailure(.itemNotFound, Refusal(.syncNoRequest)) }
            try keeper.withPasscodeProved(question.passcode) { try engine.admit(request.keys, provedIn: $0) }
            keeper.endInvitation()
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
            try keeper.withPasscodeProved(question.passcode) { context in
                try engine.remove(
                    device, erases: question.deletesItems, newRecovery: code.map { RecoveryKeys($0) },
                    provedIn: context)
            }
            return RemovedDevice(
                recoveryCode: code?.text, readableItems: try parts.items.sharedItemsByGroup().mapValues(Int64.init))
        }
    }

    package func answer(_ question: LeaveCircle) throws(CircleFailure) -> Done {
        try answering { keeper in
            guard let engine = keeper.engine, engine.membership.members.contains(engine.device) else {
                guard keeper.place != nil else { throw CircleFailure.notAMember }
                if question.deletesItems { try keeper.engine?.deleteSharedItems() }
                try keeper.forget()
                return Done()
            }
            guard question.isForced || engine.hasPassedOnAll else {
                throw CircleFailure(.syncNotPassedOn)
            }
            try keeper.withPasscodeProved(question.passcode) { try engine.leave(provedIn: $0) }
            if question.deletesItems { try engine.deleteSharedItems() }
            if let failure = engine.storeFailure, !question.isForced, let place = keeper.place {
                // The others do not know yet: the statement goes out with the next exchange.
                throw CircleFailure(failure, place.store)
            }
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

    package func answer(_ question: ControlSync) throws(CircleFailure) -> Done {
        try answering { keeper in
            switch question.act {
            case .exchange:
                guard keeper.place != nil else { throw CircleFailure.notAMember }
                keeper.work(.hint)
            case .pause, .resume:
                guard keeper.place != nil else { throw CircleFailure.notAMember }
                try keeper.pause(question.act == .pause)
            case .changeKeys: try keeper.member().changeKeys()
            }
            return Done()
        }
    }

    package func answer(_ question: ShareGroup) throws(CircleFailure) -> Done {
        try answering { keeper in
            let engine = try keeper.member()
            var groups = engine.membership.settings.allowedGroups
            guard let group = GroupName(Array(question.group.utf8)) else {
                throw CircleFailure(.param, Refusal(.syncGroupNotAllowed, groups.count))
            }
            if question.isShared { groups.insert(group) } else { groups.remove(group) }
            guard groups.count <= StatementLimits.groups else {
                throw CircleFailure(.param, Refusal(.syncGroupNotAllowed, StatementLimits.groups))
            }
            guard groups != engine.membership.settings.allowedGroups else { return Done() }
            try keeper.withPasscodeProved(question.passcode) { try engine.allow(groups, provedIn: $0) }
            return Done()
        }
    }

    package func answer(_ question: AwaitSync) throws(CircleFailure) -> SyncProgress {
        progress(after: question.known, until: Cancellation(seconds: Double(question.seconds)))
    }

    func answering<Answer>(_ body: (CircleKeeper) throws -> Answer) throws(CircleFailure) -> Answer {
        do {
            return try withKeeper { keeper in
                do {
                    return try body(keeper)
                } catch {
                    throw CircleFailure(error, keeper.place?.store)
                }
            }
        } catch {
            throw CircleFailure(error)
        }
    }
}

extension CircleKeeper {
    /// The engine of a member. Throws the reason why there is none.
    func member() throws -> SyncEngine {
        guard let engine else { throw trouble ?? CircleFailure.notAMember }
        let state = engine.membership
        guard state.members.contains(engine.device) else {
            throw CircleFailure(state.voidlyAdmitted.contains(engine.device) ? .syncAdmissionVoid : .syncRemoved)
        }
        return engine
    }

    func requireNoCircle() throws {
        guard place == nil else { throw CircleFailure.alreadyMember }
        guard let status = try? parts.enclave.ask(AskStatus()) else { throw CircleFailure.locked }
        switch status.lockState {
        case .noPasscode: throw CircleFailure(.syncNeedsPasscode)
        case .beforeFirstUnlock, .locked: throw CircleFailure.locked
        case .unlocked: return
        }
    }

    /// The request that answers the open invitation.
    func joinRequest() throws -> (request: JoinRequest, device: DeviceDescription)? {
        let engine = try member()
        guard invitation != nil else { return nil }
        let found = try reaching { try invitation?.request(in: engine.store) }
        if invitation?.isUsedUp == true { endInvitation() }
        return found ?? nil
    }

    /// Calls a store, with its failures in words that name it.
    func reaching<R>(_ store: StoreAddress? = nil, _ body: () throws -> R) throws -> R {
        do {
            return try body()
        } catch {
            throw CircleFailure(error, store ?? place?.store)
        }
    }
}
