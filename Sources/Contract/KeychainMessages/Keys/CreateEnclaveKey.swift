package import LatchkeyAccessControl
package import LatchkeyEnclaveContract

/// Creates a key. No item refers to it yet. The access control must have `privateKeyUsage`.
package struct CreateEnclaveKey: KeyQuestion {
    package typealias Answer = CreatedEnclaveKey

    /// The former message, from before there were other kinds of keys.
    private static let p256: Int64 = 1
    private static let ofKind: Int64 = 5
    package static let numbers = [p256, ofKind]
    package static let traits: KeychainTraits = [.changesDevice, .asksPerson, .audited]
    package static let name = "key-create"
    package static let purpose = KeyPurpose.creation

    package let key: NewEnclaveKey
    package let accessControl: AccessControl
    package let interaction: Interaction?

    package init(_ key: NewEnclaveKey = .p256, under accessControl: AccessControl, _ interaction: Interaction? = nil) {
        self.key = key
        self.accessControl = accessControl
        self.interaction = interaction
    }

    package var number: Int64 { key == .p256 ? Self.p256 : Self.ofKind }

    package func write(to writer: inout FieldWriter) {
        if key != .p256 { writer.integer(Int64(key.rawValue)) }
        writer.accessControl(accessControl)
        writer.optionalInteraction(interaction)
    }

    package init(_ number: Int64, from fields: inout MessageFields) throws(MessageCodingFailure) {
        key = number == Self.ofKind ? try fields.newKeyOfKind() : .p256
        accessControl = try fields.accessControl()
        interaction = try fields.optionalInteraction()
    }

    package var lengthRefusal: EnclaveKeyRefusal? { nil }

    package func answer<Desk: KeyAnswers>(by desk: Desk) throws(Desk.Obstacle) -> Answer {
        try desk.answer(self)
    }
}

/// A new key: its blob and its public half.
package struct CreatedEnclaveKey: Sendable, Hashable {
    package let blob: [UInt8]
    /// An uncompressed point for P-256. Its length tells the kind of the key
    /// (``EnclaveKeyKind/init(publicKeyByteCount:)``).
    package let publicKey: [UInt8]

    package init(blob: [UInt8], publicKey: [UInt8]) {
        self.blob = blob
        self.publicKey = publicKey
    }
}

extension CreatedEnclaveKey: KeychainAnswer {
    package static let replyNumber: Int64 = 1

    package func write(to writer: inout FieldWriter) {
        writer.data(blob)
        writer.data(publicKey)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        blob = try fields.keyBlob()
        publicKey = try fields.publicKeyOfEnclave()
    }
}

extension MessageFields {
    /// Takes the kind of a new key. P-256 has only the message without a kind.
    fileprivate mutating func newKeyOfKind() throws(MessageCodingFailure) -> NewEnclaveKey {
        let number = UInt8(exactly: try integer("new key"))
        guard let key = number.flatMap(NewEnclaveKey.init), key != .p256 else { throw .badField("new key") }
        return key
    }
}
