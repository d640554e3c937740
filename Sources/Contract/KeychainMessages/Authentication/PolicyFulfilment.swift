import LatchkeyPropertyListDER

/// A policy that is fulfilled, or could be.
package struct PolicyFulfilment: Sendable, Hashable {
    /// Changes whenever the set of enrolled fingers changes; nil if no biometry was involved.
    package let domainState: [UInt8]?

    package init(domainState: [UInt8]?) {
        self.domainState = domainState
    }
}

extension PolicyFulfilment: KeychainAnswer {
    package static let replyNumber = AuthenticationDone.replyNumber

    package func write(to writer: inout FieldWriter) {
        writer.domainState(domainState)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        self.init(domainState: try fields.domainState())
    }
}

extension FieldWriter {
    mutating func domainState(_ state: [UInt8]?) {
        value(state.map { .array([.data($0)]) } ?? .null)
    }
}

extension MessageFields {
    mutating func domainState() throws(MessageCodingFailure) -> [UInt8]? {
        guard var part = try part("domain state") else { return nil }
        let bytes = try part.data("domain state")
        try part.finish()
        return bytes
    }
}
