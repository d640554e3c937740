import LatchkeyKeybag
package import LatchkeySecretMemory

/// The second byte of a request.
private enum RequestKind: UInt8 {
    case status = 1
    case setPasscode = 2
    case changePasscode = 3
    case removePasscode = 4
    case unlock = 5
    case verifyPasscode = 6
    case lock = 7
    case erase = 8
    case configure = 9
    case createKey = 10
    case unwrapKeys = 11
    case waitForChange = 12
    case createKeys = 13
    case unwrapKeysForContext = 14
    case createKeysForContext = 15
    case context = 16
    case biometry = 17
    case key = 18
    case configureLocking = 19
    case passcodeCost = 20
}

extension EnclaveMessageCodec {
    package static func encode(_ request: EnclaveRequest) -> (body: [UInt8], secrets: [SecretBox]) {
        var writer = MessageWriter(version: version, MessageNumber(kind(of: request).rawValue))
        switch request {
        case .status, .passcodeCost:
            break
        case .setPasscode(let new):
            writer.secret(new)
        case .changePasscode(let current, let new):
            writer.secret(current)
            writer.secret(new)
        case .removePasscode(let current):
            writer.secret(current)
        case .unlock(let passcode), .verifyPasscode(let passcode):
            writer.secret(passcode)
        case .lock(let immediately):
            writer.flag(immediately)
        case .erase(let passcode):
            writer.optional(passcode) { $0.secret($1) }
        case .configure(let passcode, let eraseAfterTenFailures, let gracePeriodSeconds, let lockAfterSeconds):
            writer.optional(passcode) { $0.secret($1) }
            writer.optional(eraseAfterTenFailures) { $0.flag($1) }
            writer.optional(gracePeriodSeconds) { $0.seconds($1) }
            if let lockAfterSeconds { writer.seconds(lockAfterSeconds) }
        case .createKey(let keyClass, let use, let binding):
            writer.byte(keyClass.rawValue)
            writer.byte(use.rawValue)
            writer.bytes(binding)
        case .createKeys(let keyClass, let use, let binding, let count, let context):
            write(context, to: &writer)
            writer.byte(keyClass.rawValue)
            writer.byte(use.rawValue)
            writer.bytes(binding)
            writer.count(count)
        case .unwrapKeys(let keys, let context):
            write(context, to: &writer)
            writer.count(keys.count)
            for key in keys {
                writer.byte(key.keyClass.rawValue)
                writer.byte(key.use.rawValue)
                writer.bytes(key.binding)
                writer.bytes(key.bytes)
            }
        case .waitForChange(let epoch):
            writer.number(epoch)
        case .context(let request):
            write(request, to: &writer)
        case .biometry(let request):
            write(request, to: &writer)
        case .key(let request):
            write(request, to: &writer)
        }
        return (writer.body, writer.secrets)
    }

    package static func decodeRequest(
        body: [UInt8], secrets: [SecretBox]
    ) throws(EnclaveMessageFailure) -> EnclaveRequest {
        var reader = MessageReader(body: body, secrets: secrets)
        let number = try header(&reader)
        guard let kind = RequestKind(rawValue: number) else { throw .unknownKind(number) }
        let request = try request(kind, &reader)
        try reader.finish()
        return request
    }

    private static func request(
        _ kind: RequestKind, _ reader: inout MessageReader
    ) throws(EnclaveMessageFailure) -> EnclaveRequest {
        switch kind {
        case .status:
            return .status
        case .setPasscode:
            return .setPasscode(new: try reader.secret(passcodeLengths))
        case .changePasscode:
            let current = try reader.secret(passcodeLengths)
            return .changePasscode(current: current, new: try reader.secret(passcodeLengths))
        case .removePasscode:
            return .removePasscode(current: try reader.secret(passcodeLengths))
        case .unlock:
            return .unlock(passcode: try reader.secret(passcodeLengths))
        case .verifyPasscode:
            return .verifyPasscode(try reader.secret(passcodeLengths))
        case .lock:
            return .lock(immediately: try reader.flag("immediately"))
        case .erase:
            return .erase(passcode: try optionalPasscode(&reader))
        case .passcodeCost:
            return .passcodeCost
        case .configure, .configureLocking:
            let passcode = try optionalPasscode(&reader)
            let erase = try reader.optional("erase option") { reader throws(EnclaveMessageFailure) in
                try reader.flag("erase option")
            }
            let grace = try reader.optional("grace period") { reader throws(EnclaveMessageFailure) in
                try reader.seconds("grace period")
            }
            let lockAfter = kind == .configure ? nil : try reader.seconds("time until locking")
            return .configure(
                passcode: passcode, eraseAfterTenFailures: erase, gracePeriodSeconds: grace,
                lockAfterSeconds: lockAfter)
        case .createKey:
            let (keyClass, use, binding) = try keyKind(&reader)
            return .createKey(keyClass: keyClass, use: use, binding: binding)
        case .createKeys, .createKeysForContext:
            let context = kind == .createKeys ? nil : try readContext(&reader)
            let (keyClass, use, binding) = try keyKind(&reader)
            let count = try reader.count("keys", limit: EnclaveLimits.keysPerBatch)
            return .createKeys(keyClass: keyClass, use: use, binding: binding, count: count, context: context)
        case .unwrapKeys:
            return .unwrapKeys(try wrappedKeys(&reader))
        case .unwrapKeysForContext:
            let context = try readContext(&reader)
            return .unwrapKeys(try wrappedKeys(&reader), context: context)
        case .waitForChange:
            return .waitForChange(epoch: try reader.number())
        case .context:
            return .context(try readContextRequest(&reader))
        case .biometry:
            return .biometry(try readBiometryRequest(&reader))
        case .key:
            return .key(try readKeyRequest(&reader))
        }
    }

    /// What every request for a key begins with.
    private static func keyKind(
        _ reader: inout MessageReader
    ) throws(EnclaveMessageFailure) -> (keyClass: KeyClass, use: KeyUse, binding: [UInt8]) {
        let keyClass = try reader.choice("class", of: KeyClass.self)
        let use = try reader.choice("use", of: KeyUse.self)
        return (keyClass, use, try reader.bytes("binding", limit: EnclaveLimits.bindingByteCount))
    }

    private static func optionalPasscode(
        _ reader: inout MessageReader
    ) throws(EnclaveMessageFailure) -> SecretBox? {
        try reader.optional("passcode") { reader throws(EnclaveMessageFailure) in
            try reader.secret(passcodeLengths)
        }
    }

    private static func wrappedKeys(_ reader: inout MessageReader) throws(EnclaveMessageFailure) -> [WrappedKey] {
        let count = try reader.count("keys", limit: EnclaveLimits.keysPerBatch)
        var keys: [WrappedKey] = []
        keys.reserveCapacity(count)
        for _ in 0..<count {
            let (keyClass, use, binding) = try keyKind(&reader)
            let bytes = try reader.bytes("wrapped key", limit: wrappedKeyByteCount)
            keys.append(WrappedKey(keyClass: keyClass, use: use, binding: binding, bytes: bytes))
        }
        return keys
    }

    private static func kind(of request: EnclaveRequest) -> RequestKind {
        switch request {
        case .status: .status
        case .setPasscode: .setPasscode
        case .changePasscode: .changePasscode
        case .removePasscode: .removePasscode
        case .unlock: .unlock
        case .verifyPasscode: .verifyPasscode
        case .lock: .lock
        case .erase: .erase
        case .configure(_, _, _, let lockAfterSeconds): lockAfterSeconds == nil ? .configure : .configureLocking
        case .passcodeCost: .passcodeCost
        case .createKey: .createKey
        case .createKeys(_, _, _, _, let context): context == nil ? .createKeys : .createKeysForContext
        case .unwrapKeys(_, let context): context == nil ? .unwrapKeys : .unwrapKeysForContext
        case .waitForChange: .waitForChange
        case .context: .context
        case .biometry: .biometry
        case .key: .key
        }
    }
}
