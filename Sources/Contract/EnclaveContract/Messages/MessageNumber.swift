/// The number of a message: its kind and, in a family, its part (`Docs/Formats/enclave-mailbox.md`).
package struct MessageNumber: Sendable, Hashable {
    package let kind: UInt8
    /// Nil for a message outside of the families.
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

    /// The kind of a refusal, which any question can get.
    static let refusal = MessageNumber(7)
}
