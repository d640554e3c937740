package struct PromptIdentifier: Sendable, Hashable {
    package let number: UInt64

    package init(_ number: UInt64) {
        self.number = number
    }
}

/// A number of 64 bits in the signed form of an integer.
extension FieldWriter {
    mutating func promptIdentifier(_ prompt: PromptIdentifier) {
        integer(Int64(bitPattern: prompt.number))
    }
}

extension MessageFields {
    mutating func promptIdentifier() throws(MessageCodingFailure) -> PromptIdentifier {
        PromptIdentifier(UInt64(bitPattern: try integer("prompt")))
    }
}
