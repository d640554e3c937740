/// What a message is: its kind, and for a family its part (`Docs/Formats/enclave-mailbox.md`).
package struct MessageNumber: Sendable, Hashable {
    package let kind: UInt8
    /// Nil for a message that belongs to no family.
    package let part: UInt8?

    package init(_ kind: UInt8, _ part: UInt8? = nil) {
        self.kind = kind
        self.part = part
    }

    /// The names of the families of questions, by their kinds.
    static let questionFamilies: [UInt8: String] = [
        16: "context request", 17: "biometry request", 18: "key request",
    ]
    static let answerFamilies: [UInt8: String] = [9: "context reply", 10: "biometry reply", 11: "key reply"]

    /// Who answers refuses with this kind whatever was asked.
    static let refusal = MessageNumber(7)
}
