package import LatchkeySecretMemory

/// A question about the keys of protected files. A key is identified by its wrapped form, which the file's header
/// stores, and the daemon keeps nothing about it.
///
/// Every program that the keychain serves may ask, about every file: who may read a file is decided by the permissions
/// of the file, as on every file system, and a program that cannot read a header has no wrapped key to ask about. The
/// lock state is all that the device decides.
package protocol FileKeyQuestion: NumberedQuestion where Answer: KeychainAnswer, Failure == FileKeyRefusal {
    func answer<Desk: FileKeyAnswers>(by desk: Desk) throws(Desk.Obstacle) -> Answer
}

extension FileKeyQuestion {
    /// The device stores nothing about these keys, so a question can be repeated.
    package static var traits: KeychainTraits { [.repeatable, .audited] }

    package var message: WireMessage { MessageCoding.numbered(self) }
}

/// A service that answers every question about the keys of files.
package protocol FileKeyAnswers {
    /// The error in place of an answer.
    associatedtype Obstacle: Error

    func answer(_ question: CreateFileKeys) throws(Obstacle) -> CreatedFileKeys
    func answer(_ question: OpenFileKeys) throws(Obstacle) -> OpenedFileKeys
    func answer(_ question: RewrapFileKey) throws(Obstacle) -> RewrappedFileKey
}

/// The questions about the keys of files, by their numbers.
package enum FileKeyQuestions {
    package static let all: [any FileKeyQuestion.Type] = [
        CreateFileKeys.self, OpenFileKeys.self, RewrapFileKey.self,
    ]

    private static let byNumber = Dictionary(uniqueKeysWithValues: all.map { ($0.number, $0) })

    static func type(of number: Int64) -> (any FileKeyQuestion.Type)? { byNumber[number] }
}

extension MessageCoding {
    static func fileKeyQuestion(_ fields: MessageFields) throws(MessageCodingFailure) -> any FileKeyQuestion {
        var fields = fields
        guard let type = FileKeyQuestions.type(of: try fields.integer("file key request")) else {
            throw .badField("file key request")
        }
        let question = try type.init(from: &fields)
        try fields.finish()
        return question
    }
}
