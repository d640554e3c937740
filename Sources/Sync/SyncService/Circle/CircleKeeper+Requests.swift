internal import LatchkeyKeychainMessages
internal import LatchkeySyncCore
internal import LatchkeySyncKeys
internal import LatchkeySyncStore

/// Requests of devices that want to be admitted.
extension CircleKeeper {
    /// Returns the request of the device that has answered the open invitation; or, by its fingerprint, that of a device which has
    /// answered it or has asked without a code. Nil if there is none.
    func joinRequest(_ text: FingerprintText?) throws -> (request: JoinRequest, device: DeviceDescription?)? {
        let engine = try member()
        let answered = try requestWithCode(in: engine.store)
        guard let text else { return answered.map { ($0.request, $0.device) } }
        guard let fingerprint = DeviceFingerprint(reading: text.characters) else { return nil }
        if let answered, DeviceFingerprint(of: answered.request.keys, in: engine.circle) == fingerprint {
            return (answered.request, answered.device)
        }
        return try request(of: fingerprint, to: engine).map { ($0, nil) }
    }

    private func requestWithCode(
        in store: any SyncStore
    ) throws -> (request: JoinRequest, device: DeviceDescription)? {
        endInvitationIfOver()
        let found = try invitation?.request(in: store)
        if invitation?.isUsedUp == true { endInvitation() }
        return found
    }

    /// Returns the request without a code that has the fingerprint. Everyone can write under its name: the whole fingerprint decides.
    private func request(of fingerprint: DeviceFingerprint, to engine: SyncEngine) throws -> JoinRequest? {
        guard let name = ExchangeName(fingerprint.requestName).map(StoreObjectName.exchange),
            let bytes = try engine.store.readAll([name]).objects[name],
            let object = try? AuthenticatedObject(parsing: bytes), object.code == nil,
            let request = try? JoinRequest(parsing: object.content), request.circle == engine.circle,
            request.label.isEmpty, DeviceFingerprint(of: request.keys, in: request.circle) == fingerprint
        else { return nil }
        return request
    }
}
