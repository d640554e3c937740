package import LatchkeyAccessControl

/// A request to report for each blob whether its key still exists. It needs no evidence. At most
/// ``EnclaveLimits/keysPerBatch``. While the class key is locked, a key counts as present if this device sealed its
/// clear part.
package struct DescribeKeys: EnclaveQuestion {
    package static let numbers = [MessageNumber.keyQuestion(4)]
    package static let traits: QuestionTraits = .repeatable

    package let blobs: [[UInt8]]

    package init(_ blobs: [[UInt8]]) {
        self.blobs = blobs
    }

    package func write(to writer: inout MessageWriter) {
        writer.blobs(blobs)
    }

    package init(_ number: MessageNumber, from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        self.init(try reader.blobs())
    }

    package func fits(_ descriptions: [KeyDescription]) -> Bool { descriptions.count == blobs.count }

    package func answer(by enclave: some EnclaveAnswers) throws(EnclaveRefusal) -> [KeyDescription] {
        try enclave.answer(self)
    }
}

/// The enclave's description of a key that is not used.
package enum KeyDescription: Sendable, Hashable {
    /// The key can be used, or is only locked now.
    case present(publicKey: [UInt8], accessControl: AccessControl)
    /// The key belongs to another device, was altered or deleted, or its class key no longer exists.
    case gone(KeyRefusal)
}

extension KeyDescription: ListedAnswer {
    package static let listNumber = MessageNumber.keyAnswer(4)

    package func write(to writer: inout MessageWriter) {
        switch self {
        case .present(let publicKey, let accessControl):
            writer.byte(0)
            writer.bytes(publicKey)
            writer.accessControl(accessControl)
        case .gone(let refusal):
            writer.byte(refusal.rawValue)
        }
    }

    package init(from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        let raw = try reader.byte()
        guard raw != 0 else {
            let publicKey = try reader.bytes("public key", limit: EnclaveKeyKind.publicKeyByteLimit)
            self = .present(publicKey: publicKey, accessControl: try reader.accessControl())
            return
        }
        guard let refusal = KeyRefusal(rawValue: raw) else {
            throw .badValue(field: "description", found: UInt64(raw))
        }
        self = .gone(refusal)
    }
}
