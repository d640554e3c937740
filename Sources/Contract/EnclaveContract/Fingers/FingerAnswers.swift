extension MessageNumber {
    static func fingerQuestion(_ part: UInt8) -> MessageNumber { MessageNumber(17, part) }
    static func fingerAnswer(_ part: UInt8) -> MessageNumber { MessageNumber(10, part) }
}

/// The answer that a request about fingers was carried out.
package struct FingersDone: BareAnswer {
    package static let number = MessageNumber.fingerAnswer(5)

    package init() {}
}
