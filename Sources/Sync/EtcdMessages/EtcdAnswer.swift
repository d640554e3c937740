/// A key and its value, as a server shows them.
package struct EtcdEntry: Hashable, Sendable {
    package let key: [UInt8]
    /// Empty in answers to questions for keys alone.
    package let value: [UInt8]
    /// The revision of the last change.
    package let revision: Int64
}

/// The answer to a transaction.
package struct EtcdTransactionAnswer: Hashable, Sendable {
    /// The entries of a query, and true if there are more.
    package struct Reading: Hashable, Sendable {
        package let entries: [EtcdEntry]
        package let isCut: Bool
    }

    /// The revision of the store when it answered.
    package let revision: Int64
    /// False if a condition did not hold. Nothing was done then.
    package let isDone: Bool
    /// The answers to the queries, in their order.
    package let readings: [Reading]

    /// - Parameter queries: the number of queries of the transaction.
    package init(_ body: [UInt8], queries: Int) throws(EtcdAnswerFailure) {
        let root = try EtcdFields.root(of: body)
        revision = try EtcdFields.revision(of: root)
        isDone = try EtcdFields.boolean("succeeded", of: root)
        var readings: [Reading] = []
        for response in try EtcdFields.array("responses", of: root) {
            guard let range = try response.member("response_range") else { continue }
            var entries: [EtcdEntry] = []
            for entry in try EtcdFields.array("kvs", of: range) { entries.append(try EtcdEntry(entry)) }
            readings.append(Reading(entries: entries, isCut: try EtcdFields.boolean("more", of: range)))
        }
        guard readings.count == (isDone ? queries : 0) else { throw .notAnAnswer }
        self.readings = readings
    }
}

extension EtcdEntry {
    init(_ value: JSONValue) throws(EtcdAnswerFailure) {
        key = try EtcdFields.bytes("key", of: value)
        self.value = try EtcdFields.bytes("value", of: value)
        revision = try EtcdFields.revision("mod_revision", of: value)
    }
}

/// The refusal of a server: the number is that of gRPC.
package struct EtcdRefusal: Error, Hashable, Sendable {
    package let code: Int64
    package let text: String

    package init(code: Int64, text: String) {
        self.code = code
        self.text = text
    }

    package init(_ body: [UInt8]) throws(EtcdAnswerFailure) {
        try self.init(EtcdFields.root(of: body))
    }

    /// The member "error" of a stream is an object, that of an answer a text with the others beside it.
    init(_ value: JSONValue) throws(EtcdAnswerFailure) {
        let inner = try value.member("error")
        if case .object? = inner, let inner {
            code = try EtcdFields.plainNumber("grpc_code", of: inner)
            text = try EtcdFields.text("message", of: inner)
        } else {
            code = try EtcdFields.plainNumber("code", of: value)
            text = try EtcdFields.text("error", of: value)
        }
    }
}

/// The answer to a name and a password.
package struct EtcdToken: Hashable, Sendable {
    /// The greatest number of bytes: a JWT has less than a thousand.
    package static let byteLimit = 8_192

    /// Printable characters of ASCII: it becomes a line of a header.
    package let text: String

    package init(_ body: [UInt8]) throws(EtcdAnswerFailure) {
        text = try EtcdFields.text("token", of: EtcdFields.root(of: body))
        guard (1...Self.byteLimit).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { throw .wrongType }
    }
}
