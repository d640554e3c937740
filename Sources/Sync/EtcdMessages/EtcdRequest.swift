package import LatchkeySecretMemory

/// The bodies of requests to the gateway of etcd 3.4, in JSON.
package enum EtcdRequest {
    package static let transactionPath = "/v3/kv/txn"
    package static let watchPath = "/v3/watch"
    package static let authenticationPath = "/v3/auth/authenticate"

    package static func body(of transaction: EtcdTransaction) -> [UInt8] {
        var text = JSONText()
        text.raw("{\"compare\":[")
        for (index, condition) in transaction.conditions.enumerated() {
            if index > 0 { text.raw(",") }
            text.raw("{\"target\":\"MOD\",\"result\":\"EQUAL\",\"key\":")
            text.base64(condition.key)
            text.raw(",\"mod_revision\":")
            text.number(condition.revision)
            text.raw("}")
        }
        text.raw("],\"success\":[")
        for (index, operation) in transaction.operations.enumerated() {
            if index > 0 { text.raw(",") }
            append(operation, to: &text)
        }
        text.raw("]}")
        return text.bytes
    }

    private static func append(_ operation: EtcdTransaction.Operation, to text: inout JSONText) {
        switch operation {
        case .put(let key, let value):
            text.raw("{\"request_put\":{\"key\":")
            text.base64(key)
            text.raw(",\"value\":")
            text.base64(value)
        case .remove(let key):
            text.raw("{\"request_delete_range\":{\"key\":")
            text.base64(key)
        case .read(let query):
            text.raw("{\"request_range\":{")
            append(query.range, to: &text)
            if query.limit > 0 {
                text.raw(",\"limit\":")
                text.number(Int64(query.limit))
            }
            if query.isOfKeysOnly { text.raw(",\"keys_only\":true") }
            if query.mayBeOld { text.raw(",\"serializable\":true") }
            if let revision = query.changedSince {
                text.raw(",\"min_mod_revision\":")
                text.number(revision)
            }
        }
        text.raw("}}")
    }

    private static func append(_ range: EtcdKeyRange, to text: inout JSONText) {
        text.raw("\"key\":")
        text.base64(range.key)
        if let end = range.end {
            text.raw(",\"range_end\":")
            text.base64(end)
        }
    }

    /// The length of a watch that the gateway surely takes whole. It reads so much at once; what it has not read when it answers the first
    /// range, it may throw away, and the other ranges are never watched.
    package static let watchByteLimit = 512

    /// A watch of several ranges, one after the other on one stream. At most ``watchByteLimit`` bytes.
    ///
    /// - Parameter revision: the first one whose changes are reported.
    package static func watch(_ ranges: [EtcdKeyRange], from revision: Int64) -> [UInt8] {
        var text = JSONText()
        for range in ranges {
            text.raw("{\"create_request\":{")
            append(range, to: &text)
            text.raw(",\"start_revision\":")
            text.number(revision)
            text.raw(",\"progress_notify\":true,\"fragment\":true}}")
        }
        precondition(text.bytes.count <= watchByteLimit, "the gateway may lose a part of the watch")
        return text.bytes
    }

    /// - Parameter password: in UTF-8.
    package static func authentication(of user: String, password: SecretBox) -> SecretBox {
        var before = JSONText()
        before.raw("{\"name\":")
        before.text(user)
        before.raw(",\"password\":\"")
        let after = Array("\"}".utf8)
        return unsafe password.withBytes { password in
            let length = unsafe password.reduce(0) { $0 + escaped($1).count }
            return unsafe SecretBox(count: before.bytes.count + length + after.count) { body in
                var offset = 0
                func append(_ byte: UInt8) {
                    unsafe body[offset] = byte
                    offset += 1
                }
                for byte in before.bytes { append(byte) }
                for index in password.indices { for part in escaped(unsafe password[index]) { append(part) } }
                for byte in after { append(byte) }
            }
        }
    }

    /// A byte of a text as it is written in JSON.
    fileprivate static func escaped(_ byte: UInt8) -> [UInt8] {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): [UInt8(ascii: "\\"), byte]
        case 0..<0x10: Array("\\u000\(String(byte, radix: 16))".utf8)
        case 0x10..<0x20: Array("\\u00\(String(byte, radix: 16))".utf8)
        default: [byte]
        }
    }
}

/// A text in JSON that is being written.
private struct JSONText {
    private(set) var bytes: [UInt8] = []

    mutating func raw(_ text: StaticString) {
        unsafe bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func base64(_ value: [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        Base64.append(value, to: &bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    /// As a text: numbers of 64 bits are texts in the JSON of Protocol Buffers.
    mutating func number(_ number: Int64) {
        bytes.append(contentsOf: "\"\(number)\"".utf8)
    }

    mutating func text(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 { bytes += EtcdRequest.escaped(byte) }
        bytes.append(UInt8(ascii: "\""))
    }
}
