package import LatchkeyEnclaveContract
package import LatchkeyKeychainMessages
internal import LatchkeySecretMemory
internal import LatchkeySyncCore
internal import LatchkeySyncIdentity
internal import LatchkeySyncKeys
internal import LatchkeySyncStore

/// The two ways into a circle.
extension CircleService {
    package func answer(_ question: JoinCircle) throws(CircleFailure) -> Done {
        let place = CirclePlaceSettings(store: question.store, deviceName: question.deviceName)
        return try answering { keeper in
            try keeper.requireNoCircle()
            let keys = InvitationKeys(try Self.code(question.code))
            let sync = try parts.sync(place)
            try keeper.trying(place) {
                guard let invitation = try CircleReader.invitation(keys, in: sync.stores),
                    let name = ExchangeName(keys.requestName)
                else {
                    throw CircleFailure.code(
                        "The store \(place.store) has no invitation for this code.",
                        "Compare store and code; a folder that another program carries may be late.")
                }
                let record = try EnclaveIdentity.make(by: parts.enclave)
                do {
                    let request = JoinRequest(
                        circle: invitation.circle, keys: record.publicKeys,
                        label: keys.sealed(sync.description, entropy: parts.entropy))
                    let object = try keys.joiner.authenticated(request.content())
                    try keeper.await(PendingJoin(invitation, record, .exchange(name), object), place)
                } catch {
                    try? keeper.forget()
                    try? EnclaveIdentity(record, enclave: parts.enclave).delete()
                    throw error
                }
            }
            return Done()
        }
    }

    package func answer(_ question: RecoverCircle) throws(CircleFailure) -> Done {
        let place = CirclePlaceSettings(store: question.store, deviceName: question.deviceName)
        return try answering { keeper in
            try keeper.requireNoCircle()
            let recovery = RecoveryKeys(try Self.code(question.code))
            let sync = try parts.sync(place)
            try keeper.trying(place) {
                guard let admitted = try SyncEngine.admission(sync, with: recovery) else {
                    throw CircleFailure.code(
                        "The store \(place.store) has no circle whose recovery code this is.",
                        "Compare store and code; a newer code may have replaced this one.")
                }
                // From here on the device enters the circle by itself, also after a crash.
                try keeper.await(admitted, place)
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
