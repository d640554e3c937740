/// The parts of a URL that identify an internet password.
package struct URLParts: Sendable, Equatable {
    package let scheme: String
    package let host: String
    package let port: UInt16?
    package let path: String

    /// Nil unless the text is `scheme://host…`. User, query and fragment are left out.
    ///
    /// Scalars are compared: as a character, a slash with a combining mark behind it is another one.
    package init?(_ text: String) {
        let text = text.unicodeScalars
        guard let separator = text.firstRange(of: "://".unicodeScalars) else { return nil }
        let scheme = text[..<separator.lowerBound]
        guard !scheme.isEmpty, scheme.allSatisfy(Self.isOfScheme) else { return nil }
        let rest = text[separator.upperBound...]
        let authorityEnd = rest.firstIndex { ["/", "?", "#"].contains($0) } ?? rest.endIndex
        let authority = rest[..<authorityEnd]
        let hostAndPort = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        let tail = rest[authorityEnd...]
        let pathEnd = tail.firstIndex { ["?", "#"].contains($0) } ?? tail.endIndex

        guard let (host, port) = Self.split(hostAndPort) else { return nil }
        self.scheme = String(scheme).lowercased()
        self.host = host.lowercased()
        self.port = port
        let path = String(tail[..<pathEnd])
        self.path = path == "/" ? "" : path
    }

    private static func isOfScheme(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "+", "-", ".": true
        default: false
        }
    }

    /// `host`, `host:port`, `[::1]` or `[::1]:port`.
    private static func split(_ text: Substring.UnicodeScalarView) -> (host: String, port: UInt16?)? {
        let hostEnd: String.Index
        if text.first == "[" {
            guard let bracket = text.firstIndex(of: "]") else { return nil }
            hostEnd = text.index(after: bracket)
        } else {
            hostEnd = text.firstIndex(of: ":") ?? text.endIndex
        }
        let host = text[..<hostEnd]
        guard !host.isEmpty, !host.contains(where: \.properties.isWhitespace) else { return nil }
        guard hostEnd < text.endIndex else { return (String(host), nil) }
        guard text[hostEnd] == ":" else { return nil }
        let digits = text[text.index(after: hostEnd)...]
        if digits.isEmpty { return (String(host), nil) }
        guard digits.allSatisfy({ ("0"..."9").contains($0) }), let port = UInt16(String(digits)) else { return nil }
        return (String(host), port)
    }
}
