/// A server that speaks HTTP, as in `https://host:2379`: nothing but scheme, host and port.
package struct ServerAddress: Hashable, Sendable, CustomStringConvertible {
    package let isEncrypted: Bool
    /// A name, an address of IPv4, or one of IPv6 in brackets, in lower case.
    package let host: String
    package let port: UInt16

    package static let hostByteLimit = 253

    /// Returns nil for any other text. A server without encryption has to be on this machine.
    ///
    /// - Parameter port: for a text without one.
    package init?(_ text: String, port standardPort: UInt16) {
        var rest = text[...]
        if rest.hasPrefix("https://") {
            isEncrypted = true
            rest = rest.dropFirst("https://".count)
        } else if rest.hasPrefix("http://") {
            isEncrypted = false
            rest = rest.dropFirst("http://".count)
        } else {
            return nil
        }
        let hostEnd: Substring.Index
        if rest.utf8.first == UInt8(ascii: "[") {
            guard let bracket = rest.utf8.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            hostEnd = rest.utf8.index(after: bracket)
        } else {
            hostEnd = rest.utf8.firstIndex(of: UInt8(ascii: ":")) ?? rest.endIndex
        }
        host = rest[..<hostEnd].lowercased()
        let tail = rest[hostEnd...]
        if tail.isEmpty {
            port = standardPort
        } else {
            let digits = tail.utf8.dropFirst()
            guard tail.utf8.first == UInt8(ascii: ":"), (1...5).contains(digits.count),
                digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
                let number = UInt16(String(decoding: digits, as: UTF8.self)), number > 0
            else { return nil }
            port = number
        }
        guard Self.isHost(host), isEncrypted || isOnThisMachine else { return nil }
    }

    package var description: String { "\(isEncrypted ? "https" : "http")://\(host):\(port)" }

    /// True for addresses that no packet leaves the machine for.
    package var isOnThisMachine: Bool {
        if host == "localhost" || host == "[::1]" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    private static func isHost(_ host: String) -> Bool {
        let bytes = Array(host.utf8)
        guard (1...hostByteLimit).contains(bytes.count) else { return false }
        func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
        func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }
        if bytes.first == UInt8(ascii: "[") {
            let inner = bytes.dropFirst().dropLast()
            return inner.contains(UInt8(ascii: ":"))
                && inner.allSatisfy {
                    isDigit($0) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0) || $0 == UInt8(ascii: ":")
                        || $0 == UInt8(ascii: ".")
                }
        }
        return bytes.first.map { isDigit($0) || isLetter($0) } ?? false
            && bytes.allSatisfy {
                isDigit($0) || isLetter($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".")
                    || $0 == UInt8(ascii: "_")
            }
    }
}
