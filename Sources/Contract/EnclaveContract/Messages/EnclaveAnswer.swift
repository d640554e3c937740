/// The answer to a question, in one of its forms.
package protocol EnclaveAnswer: Sendable {
    var number: MessageNumber { get }
    func write(to writer: inout MessageWriter)
    /// Returns nil for the number of another answer.
    init?(_ number: MessageNumber, from reader: inout MessageReader) throws(EnclaveMessageFailure)

    /// Returns the answer with its key epoch translated, if it contains one.
    func translatingEpoch(_ translate: (UInt64) -> UInt64) -> Self
}

extension EnclaveAnswer {
    package func translatingEpoch(_ translate: (UInt64) -> UInt64) -> Self { self }
}

/// An answer without fields: the request was carried out.
package protocol BareAnswer: EnclaveAnswer, Hashable {
    static var number: MessageNumber { get }
    init()
}

extension BareAnswer {
    package var number: MessageNumber { Self.number }

    package func write(to writer: inout MessageWriter) {}

    package init?(_ number: MessageNumber, from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        guard number == Self.number else { return nil }
        self.init()
    }
}

/// The answer that a request about the device was carried out.
package struct Done: BareAnswer {
    package static let number = MessageNumber(1)

    package init() {}
}

/// An element of an answer that is a list.
package protocol ListedAnswer: Sendable {
    static var listNumber: MessageNumber { get }
    func write(to writer: inout MessageWriter)
    init(from reader: inout MessageReader) throws(EnclaveMessageFailure)
}

extension Array: EnclaveAnswer where Element: ListedAnswer {
    package var number: MessageNumber { Element.listNumber }

    package func write(to writer: inout MessageWriter) {
        writer.count(count)
        for element in self { element.write(to: &writer) }
    }

    package init?(_ number: MessageNumber, from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        guard number == Element.listNumber else { return nil }
        let count = try reader.count("keys", limit: EnclaveLimits.keysPerBatch)
        self.init()
        reserveCapacity(count)
        for _ in 0..<count { append(try Element(from: &reader)) }
    }
}
