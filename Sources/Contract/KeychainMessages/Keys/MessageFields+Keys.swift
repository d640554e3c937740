import LatchkeyAccessControl
import LatchkeyEnclaveContract
import LatchkeyPropertyListDER

/// Fields of questions about enclave keys and of their answers.
extension FieldWriter {
    mutating func accessControl(_ accessControl: AccessControl) {
        data(accessControl.serialised)
    }

    mutating func optionalInteraction(_ interaction: Interaction?) {
        value(interaction.map { MessageCoding.value(of: $0) } ?? .null)
    }
}

extension MessageFields {
    mutating func accessControl() throws(MessageCodingFailure) -> AccessControl {
        let bytes = try bytes("access control", 0...EnclaveLimits.bindingByteCount)
        guard let accessControl = AccessControl(exactly: bytes) else { throw .badField("access control") }
        return accessControl
    }

    mutating func optionalInteraction() throws(MessageCodingFailure) -> Interaction? {
        guard var part = try part("interaction") else { return nil }
        return try MessageCoding.interaction(inPart: &part)
    }

    mutating func keyBlob() throws(MessageCodingFailure) -> [UInt8] {
        try bytes("blob", 0...EnclaveLimits.keyBlobByteCount)
    }

    /// Takes a public key. Its length must be that of some kind.
    mutating func publicKeyOfEnclave() throws(MessageCodingFailure) -> [UInt8] {
        let bytes = try data("public key")
        guard EnclaveKeyKind(publicKeyByteCount: bytes.count) != nil else { throw .badField("public key") }
        return bytes
    }

    mutating func bytes(_ name: String, _ counts: ClosedRange<Int>) throws(MessageCodingFailure) -> [UInt8] {
        let bytes = try data(name)
        guard bytes.count <= counts.upperBound else {
            throw .tooMany(field: name, found: bytes.count, limit: counts.upperBound)
        }
        guard bytes.count >= counts.lowerBound else { throw .badField(name) }
        return bytes
    }
}
