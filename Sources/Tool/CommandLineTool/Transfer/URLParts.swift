/// The parts of a URL that identify an internet password.
package struct URLParts: Sendable, Equatable {
    package let scheme: String
    package let host: String
    package let port: UInt16?
    package let path: String
    /// The parts that an internet password has no attribute for, and that are not empty.
    package let leftOut: [Part]

    package enum Part: String, Sendable, CaseIterable {
        case user
        case query
        case fragment
    }

    /// The reason why a text that begins like a URL does not identify an internet password.
    package enum Fault: String, Error, Sendable {
        /// It has no `://`: a plain name.
        case notURL
        case noHost = "has no host that can be read"
        case badPort = "has an impossible port"
    }

    /// Nil unless the text is `scheme://host…`.
    package init?(_ text: String) {
        guard let parts = try? Self(of: text) else { return nil }
        self = parts
    }

    /// Scalars are compared: as a character, a slash with a combining mark behind it is another one.
    package init(of text: String) throws(Fault) {
        let text = text.unicodeScalars
        guard let separator = text.firstRange(of: "://".unicodeScalars) else { throw .notURL }
        let scheme = text[..<separator.lowerBound]
        guard !scheme.isEmpty, scheme.allSatisfy(Self.isOfScheme) else { throw .notURL }
        let rest = text[separator.upperBound...]
        let authorityEnd = rest.firstIndex { ["/", "?", "#"].contains($0) } ?? rest.endIndex
        let authority = rest[..<authorityEnd]
        let userEnd = authority.lastIndex(of: "@")
        let hostAndPort = userEnd.map { authority[authority.index(after: $0)...] } ?? authority
        let tail = rest[authorityEnd...]
        let pathEnd = tail.firstIndex { ["?", "#"].contains($0) } ?? tail.endIndex

        let (host, port) = try Self.split(hostAndPort)
        self.scheme = String(scheme).lowercased()
        self.host = host.lowercased()
        self.port = port
        let path = String(tail[..<pathEnd])
        self.path = path == "/" ? "" : path
        let fragmentStart = tail.firstIndex(of: "#") ?? tail.endIndex
        let lengths: [Part: Int] = [
            .user: userEnd.map { authority[..<$0].count } ?? 0,
            .query: pathEnd < fragmentStart ? tail[pathEnd..<fragmentStart].count - 1 : 0,
            .fragment: max(0, tail[fragmentStart...].count - 1),
        ]
        leftOut = Part.allCases.filter { lengths[$0] ?? 0 > 0 }
    }

    private static func isOfScheme(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "+", "-", ".": true
        default: false
        }
    }

    /// `host`, `host:port`, `[::1]` or `[::1]:port`.
    private static func split(_ text: Substring.UnicodeScalarView) throws(Fault) -> (host: String, port: UInt16?) {
        let hostEnd: String.Index
        if text.first == "[" {
            guard let bracket = text.firstIndex(of: "]") else { throw .noHost }
            hostEnd = text.index(after: bracket)
        } else {
            hostEnd = text.firstIndex(of: ":") ?? text.endIndex
        }
        let host = text[..<hostEnd]
        guard !host.isEmpty, !host.contains(where: \.properties.isWhitespace) else { throw .noHost }
        guard hostEnd < text.endIndex else { return (String(host), nil) }
        guard text[hostEnd] == ":" else { throw .noHost }
        let digits = text[text.index(after: hostEnd)...]
        if digits.isEmpty { return (String(host), nil) }
        guard digits.allSatisfy({ ("0"..."9").contains($0) }), let port = UInt16(String(digits)) else { throw .badPort }
        return (String(host), port)
    }
}
