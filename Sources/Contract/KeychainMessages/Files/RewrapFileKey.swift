package import LatchkeyEnclaveContract
package import LatchkeyKeybag

/// Wraps the key of a file under another class, for a change of the file's protection. The content stays as it is.
///
/// Refused while the lock state does not let the key be opened, or a key of the other class be made.
package struct RewrapFileKey: FileKeyQuestion {
    package typealias Answer = RewrappedFileKey

    package static let number: Int64 = 3
    package static let name = "file-key-rewrap"

    package let key: WrappedFileKey
    package let protection: FileProtection

    package init(_ key: WrappedFileKey, to protection: FileProtection) {
        self.key = key
        self.protection = protection
    }

    package func write(to writer: inout FieldWriter) {
        writer.wrappedFileKey(key)
        writer.fileProtection(protection)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        key = try fields.wrappedFileKey()
        protection = try fields.fileProtection()
    }

    package func answer<Desk: FileKeyAnswers>(by desk: Desk) throws(Desk.Obstacle) -> Answer {
        try desk.answer(self)
    }
}

/// The key of a file under its new class.
package struct RewrappedFileKey: Sendable, Hashable {
    package let wrapped: WrappedFileKey

    package init(_ wrapped: WrappedFileKey) {
        self.wrapped = wrapped
    }
}

extension RewrappedFileKey: KeychainAnswer {
    package static let replyNumber: Int64 = 3

    package func write(to writer: inout FieldWriter) {
        writer.wrappedFileKey(wrapped)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        wrapped = try fields.wrappedFileKey()
    }
}
