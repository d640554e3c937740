package import LatchkeySecretMemory

/// A question to the keychain, with the only answer that it has.
///
/// The file of a question holds all there is about it on the wire (`Docs/Formats/socket.md`): its number, its fields with
/// their limits, its answer, and the traits that both sides act by.
package protocol KeychainQuestion: Sendable {
    associatedtype Answer: KeychainReply
    /// The failure that is thrown in place of the answer.
    associatedtype Failure: KeychainFailure

    static var traits: KeychainTraits { get }
    /// For journal and audit log; empty for a question that neither names.
    static var name: String { get }
    /// The team, app or group that the question is about, for the same logs.
    var subject: String { get }

    // These are required, although no question has a form of its own: the compiler then makes them for each question.
    // Generic code in another module would look the types up for every message.

    /// The question as it is sent.
    var message: WireMessage { get }
    /// Reads the answer, or the failure in its place.
    static func answer(in message: WireMessage) throws(MessageCodingFailure) -> Result<Answer, Failure>
    static func message(of answer: Answer) -> WireMessage
}

extension KeychainQuestion {
    package static var name: String { "" }
    package var subject: String { "" }

    package static func answer(in message: WireMessage) throws(MessageCodingFailure) -> Result<Answer, Failure> {
        try MessageCoding.decodeAnswer(to: Self.self, body: message.body, secrets: message.secrets)
    }

    package static func message(of answer: Answer) -> WireMessage {
        MessageCoding.encode(answer, to: Self.self)
    }
}

/// A question that is a number and fields.
package protocol NumberedQuestion: KeychainQuestion {
    static var number: Int64 { get }
    func write(to writer: inout FieldWriter)
    init(from fields: inout MessageFields) throws(MessageCodingFailure)
}

/// A question without fields.
package protocol BareKeychainQuestion: NumberedQuestion {
    init()
}

extension BareKeychainQuestion {
    package func write(to writer: inout FieldWriter) {}

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        self.init()
    }
}

/// The answer to a question. Its number tells it from a failure, and its shapes from each other if it has several.
package protocol KeychainReply: Sendable {
    var replyNumber: Int64 { get }
    /// Writes the fields behind the number.
    func write(to writer: inout FieldWriter)
    /// Nil for a number that belongs to no answer of this type.
    init?(_ number: Int64, from fields: inout MessageFields) throws(MessageCodingFailure)
}

/// An answer of one shape.
package protocol KeychainAnswer: KeychainReply {
    static var replyNumber: Int64 { get }
    init(from fields: inout MessageFields) throws(MessageCodingFailure)
}

extension KeychainAnswer {
    package var replyNumber: Int64 { Self.replyNumber }

    package init?(_ number: Int64, from fields: inout MessageFields) throws(MessageCodingFailure) {
        guard number == Self.replyNumber else { return nil }
        try self.init(from: &fields)
    }
}

/// A failure that stands for an answer, on the wire too: the device, or a program's own side, refused the question.
package protocol KeychainFailure: Error, Sendable {
    /// The messages that carry questions which fail like this, and their answers.
    static var questionKind: MessageCoding.Kind { get }
    static var answerKind: MessageCoding.Kind { get }

    /// The number of the failure among answers comes first.
    func write(to writer: inout FieldWriter)
    /// Nil for a number that belongs to no failure.
    init?(_ number: Int64, from fields: inout MessageFields) throws(MessageCodingFailure)
}

/// Properties of a question that client and daemon act by.
package struct KeychainTraits: OptionSet, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// Does the same when it is done twice, so that it may be sent again after a lost connection. A passcode is never
    /// tried twice.
    package static let repeatable = Self(rawValue: 1)
    /// The passcode may come or go with it, or it is allowed by the lack of one. One such question at a time: from the
    /// look at the passcode to the act nothing of this kind may change.
    package static let dependsOnPasscode = Self(rawValue: 1 << 1)
    /// Changes what the device is, whom it trusts or whom it serves: what a passcode guards once it is set, and setting
    /// the first one.
    package static let ownersAlone = Self(rawValue: 1 << 2).union(.dependsOnPasscode)
    /// Is refused by a device that takes no changes.
    package static let changesDevice = Self(rawValue: 1 << 3)
    /// Is in the audit log with its outcome: something done to the device, an evaluation, or a question about an enclave
    /// key.
    package static let audited = Self(rawValue: 1 << 4)
    /// May begin a grace period or an idle time, at whose end keys go.
    package static let startsTimes = Self(rawValue: 1 << 5)
    /// May prompt the user, unless the program forbids it.
    package static let asksPerson = Self(rawValue: 1 << 6)
    /// Depends on no evidence: any authentication context may answer it, while its own waits for the user.
    package static let anyContext = Self(rawValue: 1 << 7)
    /// Sets the first passcode: items of a former one that has gone end before.
    package static let setsPasscode = Self(rawValue: 1 << 8)
    /// Removes the passcode: the items that need one end with it.
    package static let removesPasscode = Self(rawValue: 1 << 9)
    /// Ends the passcode that is set: escrows belong to it, and no host's keybag opens any more.
    package static let endsEscrows = Self(rawValue: 1 << 10)
    /// Erases the device: the keychain forgets its items, teams, apps and tools.
    package static let erases = Self(rawValue: 1 << 11)
}
