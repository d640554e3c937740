/// The name of an entry in a directory, as the system has it: not every name is UTF-8.
package struct FileName: Hashable, Comparable, Sendable {
    /// Without a zero at the end.
    package let bytes: [UInt8]

    /// - Parameter bytes: without zeros and slashes.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    package init(_ text: String) {
        bytes = Array(text.utf8)
    }

    /// For people: bytes that are not UTF-8 are replaced.
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    package static func < (one: FileName, other: FileName) -> Bool {
        one.bytes.lexicographicallyPrecedes(other.bytes)
    }

    /// Calls `body` with the name as the system takes it.
    func withCString<Value>(_ body: (UnsafePointer<CChar>) -> Value) -> Value {
        unsafe (bytes + [0]).withUnsafeBytes { buffer in
            unsafe buffer.withMemoryRebound(to: CChar.self) { characters in
                guard let start = characters.baseAddress else { preconditionFailure("a name ends with a zero") }
                return unsafe body(start)
            }
        }
    }
}
