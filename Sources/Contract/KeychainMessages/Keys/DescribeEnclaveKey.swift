package import LatchkeyAccessControl

/// Describes a key, without a prompt. Fails if it belongs to another device or no longer exists.
package struct DescribeEnclaveKey: KeyQuestion {
    package typealias Answer = EnclaveKeyDescription

    package static let numbers: [Int64] = [4]
    package static let traits: KeychainTraits = [.repeatable, .audited]
    package static let name = "key-describe"
    package static let purpose = KeyPurpose.description

    package let blob: [UInt8]

    package init(_ blob: [UInt8]) {
        self.blob = blob
    }

    package var interaction: Interaction? { nil }

    package func write(to writer: inout FieldWriter) {
        writer.data(blob)
    }

    package init(_ number: Int64, from fields: inout MessageFields) throws(MessageCodingFailure) {
        blob = try fields.keyBlob()
    }

    package var lengthRefusal: EnclaveKeyRefusal? { .ofLength(of: blob) }

    package func answer<Desk: KeyAnswers>(by desk: Desk) throws(Desk.Obstacle) -> Answer {
        try desk.answer(self)
    }
}

package struct EnclaveKeyDescription: Sendable, Hashable {
    /// As in ``CreatedEnclaveKey``.
    package let publicKey: [UInt8]
    package let accessControl: AccessControl

    package init(publicKey: [UInt8], accessControl: AccessControl) {
        self.publicKey = publicKey
        self.accessControl = accessControl
    }
}

extension EnclaveKeyDescription: KeychainAnswer {
    package static let replyNumber: Int64 = 4

    package func write(to writer: inout FieldWriter) {
        writer.data(publicKey)
        writer.accessControl(accessControl)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        publicKey = try fields.publicKeyOfEnclave()
        accessControl = try fields.accessControl()
    }
}
