import LatchkeyAccessControl
import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyPropertyListDER
package import LatchkeySecretMemory

extension MessageCoding {
    /// Bytes of a digest that is signed.
    package static let digestByteCounts = 1...64
    /// Bytes of an uncompressed point of P-256.
    package static let pointByteCount = EnclaveKeyKind.p256.publicKeyByteCount
    /// Bytes of a message that is signed.
    package static let messageByteCounts = 0...EnclaveLimits.messageByteCount
    /// Bytes of the context string beside it.
    package static let contextStringByteCounts = 0...EnclaveLimits.contextStringByteCount
    /// Bytes of a ciphertext for a key of some kind.
    package static let ciphertextByteCounts =
        0...(EnclaveKeyKind.allCases.compactMap(\.ciphertextByteCount).max() ?? 0)

    /// A DER signature of ECDSA over P-256 has at most 72 bytes, ML-DSA makes longer ones.
    private static let signatureByteLimit = EnclaveKeyKind.allCases.compactMap(\.messageSignatureByteCount).max() ?? 0

    private enum RequestKind: Int64 {
        case create = 1
        case sign = 2
        case agree = 3
        case describe = 4
        case createOfKind = 5
        case signMessage = 6
        case decapsulate = 7
    }

    package static func encode(_ request: KeyRequest) -> WireMessage {
        func encoded(_ kind: RequestKind, _ fields: [PropertyValue]) -> WireMessage {
            message(.keyRequest, [.integer(kind.rawValue)] + fields)
        }
        switch request {
        case .create(.p256, let accessControl, let interaction):
            // As it was before there were other keys.
            return encoded(.create, [.data(accessControl.serialised), field(interaction)])
        case .create(let key, let accessControl, let interaction):
            return encoded(
                .createOfKind, [.integer(Int64(key.rawValue)), .data(accessControl.serialised), field(interaction)])
        case .sign(let blob, let digest, let interaction):
            return encoded(.sign, [.data(blob), .data(digest), field(interaction)])
        case .agree(let blob, let peer, let interaction):
            return encoded(.agree, [.data(blob), .data(peer), field(interaction)])
        case .describe(let blob):
            return encoded(.describe, [.data(blob)])
        case .signMessage(let blob, let message, let contextString, let interaction):
            return encoded(.signMessage, [.data(blob), .data(message), .data(contextString), field(interaction)])
        case .decapsulate(let blob, let ciphertext, let interaction):
            return encoded(.decapsulate, [.data(blob), .data(ciphertext), field(interaction)])
        }
    }

    static func keyRequest(
        _ fields: MessageFields, secrets: [SecretBox]
    ) throws(MessageCodingFailure) -> KeyRequest {
        var fields = fields
        guard let kind = RequestKind(rawValue: try fields.integer("key request")) else {
            throw .badField("key request")
        }
        let request: KeyRequest
        switch kind {
        case .create:
            let accessControl = try accessControl(&fields)
            request = .create(accessControl: accessControl, try optionalInteraction(&fields))
        case .createOfKind:
            let number = UInt8(exactly: try fields.integer("new key"))
            guard let key = number.flatMap(NewEnclaveKey.init), key != .p256 else { throw .badField("new key") }
            let accessControl = try accessControl(&fields)
            request = .create(key, accessControl: accessControl, try optionalInteraction(&fields))
        case .sign:
            let blob = try blob(&fields)
            let digest = try bytes("digest", digestByteCounts, &fields)
            request = .sign(blob: blob, digest: digest, try optionalInteraction(&fields))
        case .agree:
            let blob = try blob(&fields)
            let peer = try point("peer", &fields)
            request = .agree(blob: blob, peer: peer, try optionalInteraction(&fields))
        case .describe:
            request = .describe(blob: try blob(&fields))
        case .signMessage:
            let blob = try blob(&fields)
            let message = try bytes("message", messageByteCounts, &fields)
            let contextString = try bytes("context string", contextStringByteCounts, &fields)
            request = .signMessage(
                blob: blob, message: message, contextString: contextString, try optionalInteraction(&fields))
        case .decapsulate:
            let blob = try blob(&fields)
            let ciphertext = try bytes("ciphertext", ciphertextByteCounts, &fields)
            request = .decapsulate(blob: blob, ciphertext: ciphertext, try optionalInteraction(&fields))
        }
        try fields.finish()
        return request
    }

    private enum ReplyKind: Int64 {
        case created = 1
        case signature = 2
        case agreed = 3
        case described = 4
        case failed = 5
    }

    package static func encode(_ reply: KeyReply) -> WireMessage {
        func encoded(_ kind: ReplyKind, _ fields: [PropertyValue], _ secrets: [SecretBox] = []) -> WireMessage {
            message(.keyReply, [.integer(kind.rawValue)] + fields, secrets: secrets)
        }
        switch reply {
        case .created(let blob, let publicKey): return encoded(.created, [.data(blob), .data(publicKey)])
        case .signature(let bytes): return encoded(.signature, [.data(bytes)])
        case .agreed(let secret): return encoded(.agreed, [.secret(0)], [secret])
        case .described(let publicKey, let accessControl):
            return encoded(.described, [.data(publicKey), .data(accessControl.serialised)])
        case .failed(let code, let refusal):
            return encoded(.failed, [.integer(Int64(code.rawValue)), refusal.map { value(of: $0) } ?? .null])
        }
    }

    package static func decodeKeyReply(
        body: [UInt8], secrets: [SecretBox]
    ) throws(MessageCodingFailure) -> KeyReply {
        var fields = try fields(of: body, secrets: secrets, expected: .keyReply)
        guard let kind = ReplyKind(rawValue: try fields.integer("reply")) else { throw .badField("reply") }
        let reply: KeyReply
        switch kind {
        case .created:
            let blob = try blob(&fields)
            reply = .created(blob: blob, publicKey: try publicKey(&fields))
        case .signature:
            reply = .signature(try bytes("signature", 1...signatureByteLimit, &fields))
        case .agreed:
            reply = .agreed(secrets[try fields.secretIndex("secret")])
        case .described:
            let publicKey = try publicKey(&fields)
            reply = .described(publicKey: publicKey, accessControl: try accessControl(&fields))
        case .failed:
            let code = try resultCode(&fields)
            reply = .failed(
                code,
                try fields.part("refusal").map { (part) throws(MessageCodingFailure) in
                    try refusal(part)
                })
        }
        try fields.finish()
        return reply
    }

    private static func field(_ interaction: Interaction?) -> PropertyValue {
        interaction.map { value(of: $0) } ?? .null
    }

    private static func optionalInteraction(
        _ fields: inout MessageFields
    ) throws(MessageCodingFailure) -> Interaction? {
        guard var part = try fields.part("interaction") else { return nil }
        return try interaction(inPart: &part)
    }

    private static func blob(_ fields: inout MessageFields) throws(MessageCodingFailure) -> [UInt8] {
        try bytes("blob", 0...EnclaveLimits.keyBlobByteCount, &fields)
    }

    static func accessControl(_ fields: inout MessageFields) throws(MessageCodingFailure) -> AccessControl {
        let bytes = try bytes("access control", 0...EnclaveLimits.bindingByteCount, &fields)
        guard let accessControl = AccessControl(exactly: bytes) else { throw .badField("access control") }
        return accessControl
    }

    /// Of a length that some kind has.
    private static func publicKey(_ fields: inout MessageFields) throws(MessageCodingFailure) -> [UInt8] {
        let bytes = try fields.data("public key")
        guard EnclaveKeyKind(publicKeyByteCount: bytes.count) != nil else { throw .badField("public key") }
        return bytes
    }

    private static func point(
        _ name: String, _ fields: inout MessageFields
    ) throws(MessageCodingFailure) -> [UInt8] {
        try bytes(name, pointByteCount...pointByteCount, &fields)
    }

    private static func bytes(
        _ name: String, _ counts: ClosedRange<Int>, _ fields: inout MessageFields
    ) throws(MessageCodingFailure) -> [UInt8] {
        let bytes = try fields.data(name)
        guard bytes.count <= counts.upperBound else {
            throw .tooMany(field: name, found: bytes.count, limit: counts.upperBound)
        }
        guard bytes.count >= counts.lowerBound else { throw .badField(name) }
        return bytes
    }
}
