/// Four bytes written as text, the way old attributes name creators, types and protocols.
package struct FourCharacterCode: Sendable, Equatable {
    package let text: String

    /// Up to four ASCII characters, filled with blanks: `ssh` is `"ssh "`.
    package init?(_ text: String) {
        guard (1...4).contains(text.utf8.count), text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) else {
            return nil
        }
        self.text = text + String(repeating: " ", count: 4 - text.utf8.count)
    }

    /// The number that the attributes `crtr` and `type` hold.
    package var number: Int64 {
        text.utf8.reduce(0) { $0 << 8 | Int64($1) }
    }
}

/// Protocols of internet passwords by their URL schemes.
package enum ProtocolName {
    package static let codes: [(scheme: String, code: String)] = [
        ("https", "htps"), ("http", "http"), ("ftp", "ftp "), ("ftps", "ftps"), ("ssh", "ssh "), ("sftp", "ssh "),
        ("smb", "smb "), ("imap", "imap"), ("imaps", "imps"), ("pop3", "pop3"), ("pop3s", "pops"), ("smtp", "smtp"),
        ("ldap", "ldap"), ("ldaps", "ldps"), ("nntp", "nntp"), ("nntps", "ntps"), ("irc", "irc "), ("ircs", "ircs"),
        ("telnet", "teln"), ("afp", "afp "), ("socks", "sox "), ("rtsp", "rtsp"), ("ipp", "ipp "),
    ]

    /// The code of a scheme (`https`), or of a four-character code itself.
    package static func code(from text: String) -> String? {
        let wanted = text.lowercased()
        if let match = codes.first(where: { $0.scheme == wanted }) { return match.code }
        return FourCharacterCode(text)?.text
    }

    /// The scheme that a code stands for.
    package static func scheme(of code: String) -> String? {
        codes.first { $0.code == code }?.scheme
    }
}
