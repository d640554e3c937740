/// The parts of a URL that identify an internet password.
package struct URLParts: Sendable, Equatable {
    package let scheme: String
    package let host: String
    package let port: UInt16?
    package let path: String

    /// Nil unless the text is `scheme://host…`. User, query and fragment are left out.
    package init?(_ text: String) {
        guard let separator = text.firstRange(of: "://") else { return nil }
        let scheme = text[..<separator.lowerBound]
        guard !scheme.isEmpty, scheme.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) })
        else { return nil }
        let rest = text[separator.upperBound...]
        let authorityEnd = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
        let authority = rest[..<authorityEnd]
        let hostAndPort = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        let tail = rest[authorityEnd...]
        let pathEnd = tail.firstIndex { "?#".contains($0) } ?? tail.endIndex

        guard let (host, port) = Self.split(hostAndPort) else { return nil }
        self.scheme = scheme.lowercased()
        self.host = host.lowercased()
        self.port = port
        self.path = tail[..<pathEnd] == "/" ? "" : String(tail[..<pathEnd])
    }

    /// `host`, `host:port`, `[::1]` or `[::1]:port`.
    private static func split(_ text: Substring) -> (host: String, port: UInt16?)? {
        let hostEnd: Substring.Index
        if text.hasPrefix("[") {
            guard let bracket = text.firstIndex(of: "]") else { return nil }
            hostEnd = text.index(after: bracket)
        } else {
            hostEnd = text.firstIndex(of: ":") ?? text.endIndex
        }
        let host = text[..<hostEnd]
        guard !host.isEmpty, !host.contains(where: \.isWhitespace) else { return nil }
        guard hostEnd < text.endIndex else { return (String(host), nil) }
        guard text[hostEnd] == ":" else { return nil }
        let digits = text[text.index(after: hostEnd)...]
        if digits.isEmpty { return (String(host), nil) }
        guard digits.allSatisfy({ $0.isASCII && $0.isNumber }), let port = UInt16(digits) else { return nil }
        return (String(host), port)
    }
}
