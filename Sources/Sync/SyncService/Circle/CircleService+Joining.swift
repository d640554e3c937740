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
            let invitation = try keeper.reaching(place.store) {
                try CircleReader.invitation(keys, in: sync.stores)
            }
            guard let invitation else {
                throw CircleFailure.code(
                    "The store \(place.store) has no invitation for this code.",
                    "Compare store and code; a folder that another program carries may be late.")
            }
            let record = try EnclaveIdentity.make(by: parts.enclave)
            do {
                let store = sync.stores.store(of: invitation.circle, writer: record.publicKeys.identifier)
                let request = JoinRequest(
                    circle: invitation.circle, keys: record.publicKeys,
                    label: keys.sealed(sync.description, entropy: parts.entropy))
                guard let name = ExchangeName(keys.requestName) else { throw CircleFailure.damaged }
                let object = try keys.joiner.authenticated(request.content())
                try keeper.reaching(place.store) { try store.create([.exchange(name): object]) }
                try keeper.await(PendingJoin(invitation, record), place)
            } catch {
                try? EnclaveIdentity(record, enclave: parts.enclave).delete()
                throw error
            }
            keeper.work(.hint)
            return Done()
        }
    }

    package func answer(_ question: RecoverCircle) throws(CircleFailure) -> Done {
        let place = CirclePlaceSettings(store: question.store, deviceName: question.deviceName)
        return try answering { keeper in
            try keeper.requireNoCircle()
            let recovery = RecoveryKeys(try Self.code(question.code))
            let sync = try parts.sync(place)
            let engine = try keeper.reaching(place.store) {
                try SyncEngine.recover(sync, with: recovery, storing: place.write)
            }
            guard let engine else {
                throw CircleFailure.code(
                    "The store \(place.store) has no circle whose recovery code this is.",
                    "Compare store and code; a newer code may have replaced this one.")
            }
            keeper.take(engine, place)
            keeper.work(.hint)
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
