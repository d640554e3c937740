package import LatchkeyEnclaveContract
internal import LatchkeyItemModel
package import LatchkeyKeychainMessages
internal import LatchkeySecretMemory
internal import LatchkeySyncCore
internal import LatchkeySyncIdentity
internal import LatchkeySyncKeys
internal import LatchkeySyncStore

/// The ways into a circle.
extension CircleService {
    package func answer(_ question: JoinCircle) throws(CircleFailure) -> Done {
        let place = CirclePlaceSettings(store: question.store, deviceName: question.deviceName)
        return try answering { keeper in
            try keeper.requireNoCircle()
            let keys = InvitationKeys(try Self.code(question.code))
            let sync = try parts.sync(place)
            _ = try request(keys, place, sync, keeper, in: nil)
            return Done()
        }
    }

    package func answer(_ question: ReadInvitation) throws(CircleFailure) -> InvitedCircle {
        let place = CirclePlaceSettings(store: question.store, deviceName: question.deviceName)
        return try answering { keeper in
            try keeper.requireNoCircle()
            let keys = InvitationKeys(try Self.code(question.code))
            let sync = try parts.sync(place)
            return try keeper.trying(place) {
                let invitation = try Self.invitation(keys, place, sync)
                let settings = try CircleReader.settings(of: invitation, in: sync.stores)
                let groups = settings?.allowedGroups.sorted().map { String(decoding: $0.bytes, as: UTF8.self) }
                return InvitedCircle(allowedGroups: groups)
            }
        }
    }

    /// Returns the invitation that a code authenticates.
    /// - Parameter circle: its circle, if only one will do.
    private static func invitation(
        _ keys: InvitationKeys, _ place: CirclePlaceSettings, _ sync: SyncParts, in circle: CircleIdentifier? = nil
    ) throws -> Invitation {
        guard let invitation = try CircleReader.invitation(keys, in: sync.stores),
            circle ?? invitation.circle == invitation.circle
        else {
            throw CircleFailure.code(
                "The store \(place.store) has no invitation for this code.",
                "Compare store and code; a folder that another program carries may be late.")
        }
        return invitation
    }

    /// Shows a request of this device that answers an invitation.
    ///
    /// An identity that waits already asks again, and is not replaced: a member may approve the former request at any time, and that must
    /// not admit a device whose keys are gone.
    /// - Parameter circle: the circle of the invitation, if only one will do.
    private func request(
        _ keys: InvitationKeys, _ place: CirclePlaceSettings, _ sync: SyncParts, _ keeper: CircleKeeper,
        in circle: CircleIdentifier?
    ) throws -> IdentityRecord {
        try keeper.trying(place) {
            let invitation = try Self.invitation(keys, place, sync, in: circle)
            guard let name = ExchangeName(keys.requestName) else {
                preconditionFailure("the name of a request has the length of one")
            }
            let former = keeper.joining
            let record = try former?.record ?? EnclaveIdentity.make(by: parts.enclave)
            do {
                let request = JoinRequest(
                    circle: invitation.circle, keys: record.publicKeys,
                    label: keys.sealed(sync.description, entropy: parts.entropy))
                let object = try keys.joiner.authenticated(request.content())
                try keeper.await(PendingJoin(invitation, record, .exchange(name), object), place)
                if let former { keeper.removeRequest(of: former, place) }
                return record
            } catch {
                if let former {
                    try? keeper.goBack(to: former)
                } else {
                    try? keeper.takeBackJoining()
                    try? EnclaveIdentity(record, enclave: parts.enclave).delete()
                }
                throw error
            }
        }
    }

    package func answer(_ question: AskToJoin) throws(CircleFailure) -> Done {
        let place = CirclePlaceSettings(store: question.store, deviceName: question.deviceName)
        let (sync, fingerprint) = try answering { keeper in
            try keeper.requireNoCircle()
            guard let fingerprint = DeviceFingerprint(reading: question.member.characters) else {
                throw CircleFailure.code("The text is not a fingerprint.", "Type it again.")
            }
            return (try parts.sync(place), fingerprint)
        }
        // A store may have many circles, and other questions do not wait for that.
        let search = Result { try CircleReader.circle(of: fingerprint, in: sync.stores) }
        return try answering { keeper in
            try keeper.requireNoCircle()
            try keeper.trying(place) {
                guard let (found, member) = try search.get() else {
                    throw CircleFailure.code(
                        "The store \(place.store) shows no circle with a member of this fingerprint.",
                        "Compare it with `latchkey sync status` there; a folder that another program carries may be late."
                    )
                }
                try ask(found, member, place, keeper)
            }
            return Done()
        }
    }

    /// Shows a request of this device that a member has to approve by its fingerprint.
    private func ask(
        _ found: CircleReader.Found, _ member: DeviceIdentifier, _ place: CirclePlaceSettings, _ keeper: CircleKeeper
    ) throws {
        let circle = found.graph.circle
        let record = try EnclaveIdentity.make(by: parts.enclave)
        do {
            let fingerprint = DeviceFingerprint(of: record.publicKeys, in: circle)
            guard let name = ExchangeName(fingerprint.requestName) else {
                preconditionFailure("the name of a request has the length of one")
            }
            // The store shows what it likes: none of it is a condition, and the admission brings its own past.
            let known = Invitation(circle: circle, founding: found.founding, statementHeads: [], member: member)
            // The label stays empty. Without a code nothing proves it, and it would be in clear.
            let request = try AuthenticatedObject(
                JoinRequest(circle: circle, keys: record.publicKeys).content(), code: nil
            ).bytes()
            try keeper.await(PendingJoin(known, record, .exchange(name), request, approver: member), place)
        } catch {
            try? keeper.takeBackJoining()
            try? EnclaveIdentity(record, enclave: parts.enclave).delete()
            throw error
        }
    }

    package func answer(_ question: RepairDevice) throws(CircleFailure) -> RepairedDevice {
        try answering { keeper in
            guard let engine = keeper.engine, let place = keeper.place else { throw keeper.absence }
            let state = engine.membership
            guard state.members.contains(engine.device) else { throw CircleFailure(.syncRemoved) }
            let waiting = keeper.joining
            guard let code = question.code else {
                guard state.members.count == 1 else {
                    throw waiting.map { CircleFailure.waiting($0, .newIdentityWaits) }
                        ?? CircleFailure(.syncNeedsInvitation)
                }
                var recovery: RecoveryCode?
                let renewed = try keeper.withPasscodeProved(question.passcode) { context in
                    try engine.renewAlone(
                        {
                            let code = RecoveryCode(generating: parts.entropy)
                            recovery = code
                            return RecoveryKeys(code)
                        }, provedIn: context)
                }
                keeper.take(renewed, place)
                // No member is left that could admit it.
                if let waiting { keeper.discard(waiting, place) }
                return RepairedDevice(renewed.device.bytes, isWaiting: false, recoveryCode: recovery?.text)
            }
            let keys = InvitationKeys(try Self.code(code))
            if let waiting, waiting.name == ExchangeName(keys.requestName).map(StoreObjectName.exchange) {
                throw CircleFailure.waiting(waiting, .newIdentityWaits)
            }
            let record = try request(keys, place, try parts.sync(place), keeper, in: engine.circle)
            return RepairedDevice(record.publicKeys.identifier.bytes, isWaiting: true)
        }
    }

    package func answer(_ question: RecoverCircle) throws(CircleFailure) -> Done {
        let place = CirclePlaceSettings(store: question.store, deviceName: question.deviceName)
        let (sync, recovery) = try answering { keeper in
            try keeper.requireNoCircle()
            return (try parts.sync(place), RecoveryKeys(try Self.code(question.code)))
        }
        // A store may have many circles, and other questions do not wait for that.
        let search = Result { try CircleReader.circle(of: recovery, in: sync.stores) }
        return try answering { keeper in
            try keeper.requireNoCircle()
            try keeper.trying(place) {
                guard let found = try search.get() else {
                    throw CircleFailure.code(
                        "The store \(place.store) has no circle whose recovery code this is.",
                        "Compare store and code; a newer code may have replaced this one.")
                }
                // From here on the device enters the circle by itself, also after a crash.
                try keeper.await(try SyncEngine.admission(sync, to: found, with: recovery), place)
            }
            return Done()
        }
    }

    private static func code<Kind: CodeKind>(_ text: SecretBox) throws -> SecretCode<Kind> {
        do throws(CodeFailure) {
            return try SecretCode(reading: text)
        } catch {
            throw CircleFailure(error)
        }
    }
}
