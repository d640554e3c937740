import LatchkeyAccessControl

/// The names of ``MessageNames`` in requests and replies.
extension EnclaveMessageCodec {
    static let operations = MessageNames.operations
    static let rules = MessageNames.rules
    static let fingers = MessageNames.fingers

    /// 1 for the first. The lists are complete, as their test checks.
    static func number<Member: Equatable>(of member: Member, in list: [Member]) -> UInt8 {
        UInt8(clamping: (list.firstIndex(of: member) ?? -1) + 1)
    }

    static func readMember<Member>(
        _ field: String, of list: [Member], _ reader: inout MessageReader
    ) throws(EnclaveMessageFailure) -> Member {
        let number = try reader.byte()
        guard number >= 1, number <= list.count else { throw .badValue(field: field, found: UInt64(number)) }
        return list[Int(number) - 1]
    }

    static func readRule(_ reader: inout MessageReader) throws(EnclaveMessageFailure) -> VerdictRule {
        try readMember("rule", of: rules, &reader)
    }

    static func write(_ finger: Finger?, to writer: inout MessageWriter) {
        writer.optional(finger) { $0.byte(number(of: $1, in: fingers)) }
    }

    static func readFinger(_ reader: inout MessageReader) throws(EnclaveMessageFailure) -> Finger? {
        try reader.optional("finger") { reader throws(EnclaveMessageFailure) in
            try readMember("finger", of: fingers, &reader)
        }
    }
}
