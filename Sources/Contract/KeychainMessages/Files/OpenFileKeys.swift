package import LatchkeyEnclaveContract
import LatchkeyPropertyListDER
package import LatchkeySecretMemory

/// Opens the keys of 1 to ``EnclaveLimits/keysPerBatch`` files. Each is opened or refused for itself.
package struct OpenFileKeys: FileKeyQuestion {
    package typealias Answer = OpenedFileKeys

    package static let number: Int64 = 2
    package static let name = "file-key-open"

    package let keys: [WrappedFileKey]

    package init(_ keys: [WrappedFileKey]) {
        precondition(MessageFields.fileKeyCounts.contains(keys.count), "a batch has a limit")
        self.keys = keys
    }

    package func write(to writer: inout FieldWriter) {
        writer.elements(keys) { $0.wrappedFileKey($1) }
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        keys = try fields.fileKeyElements("files") { part throws(MessageCodingFailure) in try part.wrappedFileKey() }
    }

    package func answer<Desk: FileKeyAnswers>(by desk: Desk) throws(Desk.Obstacle) -> Answer {
        try desk.answer(self)
    }
}

/// One result for each key of the question, at the same index.
package struct OpenedFileKeys: Sendable {
    package let results: [Result<SecretBox, FileKeyRefusal>]

    package init(_ results: [Result<SecretBox, FileKeyRefusal>]) {
        self.results = results
    }

    /// The first refusal; nil if every key was opened.
    package var refusal: FileKeyRefusal? {
        for case .failure(let refusal) in results { return refusal }
        return nil
    }
}

extension OpenedFileKeys: KeychainAnswer {
    package static let replyNumber: Int64 = 2

    package func write(to writer: inout FieldWriter) {
        writer.elements(results) { part, result in
            switch result {
            case .success(let key): part.secret(key)
            case .failure(let refusal): part.fileKeyRefusal(refusal)
            }
        }
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        results = try fields.fileKeyElements("files") { part throws(MessageCodingFailure) in
            part.startsWithSecret ? .success(try part.fileKey()) : .failure(try part.fileKeyRefusal())
        }
    }
}
