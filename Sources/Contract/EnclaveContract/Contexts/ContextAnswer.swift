/// The answer to a question that names an authentication context.
package enum ContextAnswer<Value: ContextValue>: Sendable {
    case known(Value)
    /// The enclave does not have this context, or does not have it any more.
    case unknown
}

/// A value in an answer about a context; it defines its parts of the message family.
package protocol ContextValue: Sendable {
    var part: UInt8 { get }
    func write(to writer: inout MessageWriter)
    /// Returns nil for another part.
    init?(part: UInt8, from reader: inout MessageReader) throws(EnclaveMessageFailure)
}

extension ContextAnswer: EnclaveAnswer {
    private static var unknownPart: UInt8 { 3 }

    package var number: MessageNumber {
        switch self {
        case .known(let value): .contextAnswer(value.part)
        case .unknown: .contextAnswer(Self.unknownPart)
        }
    }

    package func write(to writer: inout MessageWriter) {
        if case .known(let value) = self { value.write(to: &writer) }
    }

    package init?(_ number: MessageNumber, from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        guard let part = number.contextAnswerPart else { return nil }
        if part == Self.unknownPart {
            self = .unknown
        } else if let value = try Value(part: part, from: &reader) {
            self = .known(value)
        } else {
            return nil
        }
    }
}

extension Done: ContextValue {
    package var part: UInt8 { 1 }

    package init?(part: UInt8, from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        guard part == 1 else { return nil }
        self.init()
    }
}

extension MessageNumber {
    private static let contextFamily: UInt8 = 9

    static func contextQuestion(_ part: UInt8) -> MessageNumber { MessageNumber(16, part) }
    static func contextAnswer(_ part: UInt8) -> MessageNumber { MessageNumber(contextFamily, part) }

    /// Nil for an answer of another family.
    var contextAnswerPart: UInt8? { kind == Self.contextFamily ? part : nil }
}
