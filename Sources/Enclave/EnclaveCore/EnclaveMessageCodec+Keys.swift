import LatchkeyAccessControl
import LatchkeySecretMemory

/// The first byte of a request about the enclave's own keys.
private enum KeyRequestKind: UInt8 {
    case create = 1
    case sign = 2
    case agree = 3
    case describe = 4
    case delete = 5
    case createOfKind = 6
    case signMessage = 7
    case decapsulate = 8
}

/// The first byte of a reply about the enclave's own keys.
private enum KeyReplyKind: UInt8 {
    case created = 1
    case signature = 2
    case agreed = 3
    case described = 4
    case done = 5
    case refused = 6
    case badPeer = 7
    case otherKind = 8
    case badCiphertext = 9
}

extension EnclaveMessageCodec {
    static let pointByteCount = EnclaveKeyKind.p256.publicKeyByteCount
    static let publicKeyByteLimit = EnclaveKeyKind.allCases.map(\.publicKeyByteCount).max() ?? 0
    static let signatureByteLimit = EnclaveKeyKind.allCases.compactMap(\.messageSignatureByteCount).max() ?? 0
    static let ciphertextByteLimit = EnclaveKeyKind.allCases.compactMap(\.ciphertextByteCount).max() ?? 0

    static func write(_ request: EnclaveKeyRequest, to writer: inout MessageWriter) {
        func kind(_ kind: KeyRequestKind) { writer.byte(kind.rawValue) }
        func context(_ context: ContextIdentifier?) { writer.optional(context) { write($1, to: &$0) } }
        switch request {
        case .create(let key, let accessControl, let identifier):
            // As it was before there were other keys.
            kind(key == .p256 ? .create : .createOfKind)
            context(identifier)
            if key != .p256 { writer.byte(key.rawValue) }
            writer.bytes(accessControl.serialised)
        case .sign(let blob, let digest, let identifier):
            kind(.sign)
            context(identifier)
            writer.bytes(blob)
            writer.bytes(digest)
        case .agree(let blob, let peer, let identifier):
            kind(.agree)
            context(identifier)
            writer.bytes(blob)
            writer.bytes(peer)
        case .describe(let blobs):
            kind(.describe)
            write(blobs, to: &writer)
        case .delete(let blobs):
            kind(.delete)
            write(blobs, to: &writer)
        case .signMessage(let blob, let message, let contextString, let identifier):
            kind(.signMessage)
            context(identifier)
            writer.bytes(blob)
            writer.bytes(contextString)
            writer.longBytes(message)
        case .decapsulate(let blob, let ciphertext, let identifier):
            kind(.decapsulate)
            context(identifier)
            writer.bytes(blob)
            writer.bytes(ciphertext)
        }
    }

    static func readKeyRequest(_ reader: inout MessageReader) throws(EnclaveMessageFailure) -> EnclaveKeyRequest {
        switch try reader.choice("key request", of: KeyRequestKind.self) {
        case .create:
            let context = try optionalContext(&reader)
            return .create(accessControl: try readAccessControl(&reader), context: context)
        case .createOfKind:
            let context = try optionalContext(&reader)
            let key = try reader.choice("new key", of: NewEnclaveKey.self)
            guard key != .p256 else { throw .badValue(field: "new key", found: UInt64(key.rawValue)) }
            return .create(key, accessControl: try readAccessControl(&reader), context: context)
        case .sign:
            let context = try optionalContext(&reader)
            let blob = try readBlob(&reader)
            return .sign(
                blob: blob, digest: try reader.bytes("digest", limit: EnclaveLimits.digestByteCount), context: context)
        case .agree:
            let context = try optionalContext(&reader)
            let blob = try readBlob(&reader)
            return .agree(blob: blob, peer: try reader.bytes("peer", limit: pointByteCount), context: context)
        case .describe: return .describe(try readBlobs(&reader))
        case .delete: return .delete(try readBlobs(&reader))
        case .signMessage:
            let context = try optionalContext(&reader)
            let blob = try readBlob(&reader)
            let string = try reader.bytes("context string", limit: EnclaveLimits.contextStringByteCount)
            let message = try reader.longBytes("message", limit: EnclaveLimits.messageByteCount)
            return .signMessage(blob: blob, message: message, contextString: string, context: context)
        case .decapsulate:
            let context = try optionalContext(&reader)
            let blob = try readBlob(&reader)
            let ciphertext = try reader.bytes("ciphertext", limit: ciphertextByteLimit)
            return .decapsulate(blob: blob, ciphertext: ciphertext, context: context)
        }
    }

    static func write(_ reply: EnclaveKeyReply, to writer: inout MessageWriter) {
        func kind(_ kind: KeyReplyKind) { writer.byte(kind.rawValue) }
        switch reply {
        case .created(let blob, let publicKey):
            kind(.created)
            writer.bytes(blob)
            writer.bytes(publicKey)
        case .signature(let bytes):
            kind(.signature)
            writer.bytes(bytes)
        case .agreed(let secret):
            kind(.agreed)
            writer.secret(secret)
        case .described(let descriptions):
            kind(.described)
            writer.count(descriptions.count)
            for description in descriptions { write(description, to: &writer) }
        case .done:
            kind(.done)
        case .refused(let refusal):
            kind(.refused)
            writer.byte(refusal.rawValue)
        case .badPeer:
            kind(.badPeer)
        case .otherKind(let found):
            kind(.otherKind)
            writer.byte(found.rawValue)
        case .badCiphertext(let found):
            kind(.badCiphertext)
            writer.byte(found.rawValue)
        }
    }

    static func readKeyReply(_ reader: inout MessageReader) throws(EnclaveMessageFailure) -> EnclaveKeyReply {
        switch try reader.choice("key reply", of: KeyReplyKind.self) {
        case .created:
            let blob = try readBlob(&reader)
            return .created(blob: blob, publicKey: try reader.bytes("public key", limit: publicKeyByteLimit))
        case .signature: return .signature(try reader.bytes("signature", limit: signatureByteLimit))
        case .agreed: return .agreed(try reader.secret(keyLengths))
        case .described:
            let count = try reader.count("keys", limit: EnclaveLimits.keysPerBatch)
            var descriptions: [KeyDescription] = []
            for _ in 0..<count { descriptions.append(try readDescription(&reader)) }
            return .described(descriptions)
        case .done: return .done
        case .refused: return .refused(try reader.choice("refusal", of: KeyRefusal.self))
        case .badPeer: return .badPeer
        case .otherKind: return .otherKind(try reader.choice("kind", of: EnclaveKeyKind.self))
        case .badCiphertext: return .badCiphertext(try reader.choice("kind", of: EnclaveKeyKind.self))
        }
    }

    private static func write(_ description: KeyDescription, to writer: inout MessageWriter) {
        switch description {
        case .present(let publicKey, let accessControl):
            writer.byte(0)
            writer.bytes(publicKey)
            writer.bytes(accessControl.serialised)
        case .gone(let refusal):
            writer.byte(refusal.rawValue)
        }
    }

    private static func readDescription(
        _ reader: inout MessageReader
    ) throws(EnclaveMessageFailure) -> KeyDescription {
        let raw = try reader.byte()
        guard raw != 0 else {
            let publicKey = try reader.bytes("public key", limit: publicKeyByteLimit)
            return .present(publicKey: publicKey, accessControl: try readAccessControl(&reader))
        }
        guard let refusal = KeyRefusal(rawValue: raw) else {
            throw .badValue(field: "description", found: UInt64(raw))
        }
        return .gone(refusal)
    }

    static func readAccessControl(_ reader: inout MessageReader) throws(EnclaveMessageFailure) -> AccessControl {
        let bytes = try reader.bytes("access control", limit: EnclaveLimits.bindingByteCount)
        guard let accessControl = AccessControl(exactly: bytes) else { throw .badAccessControl }
        return accessControl
    }

    private static func optionalContext(
        _ reader: inout MessageReader
    ) throws(EnclaveMessageFailure) -> ContextIdentifier? {
        try reader.optional("context") { reader throws(EnclaveMessageFailure) in try readContext(&reader) }
    }

    private static func write(_ blobs: [[UInt8]], to writer: inout MessageWriter) {
        writer.count(blobs.count)
        for blob in blobs { writer.bytes(blob) }
    }

    private static func readBlob(_ reader: inout MessageReader) throws(EnclaveMessageFailure) -> [UInt8] {
        try reader.bytes("blob", limit: EnclaveLimits.keyBlobByteCount)
    }

    private static func readBlobs(_ reader: inout MessageReader) throws(EnclaveMessageFailure) -> [[UInt8]] {
        let count = try reader.count("blobs", limit: EnclaveLimits.keysPerBatch)
        var blobs: [[UInt8]] = []
        for _ in 0..<count { blobs.append(try readBlob(&reader)) }
        return blobs
    }
}
