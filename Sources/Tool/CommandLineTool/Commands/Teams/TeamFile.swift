import Foundation
package import LatchkeyCodeSignature
import LatchkeyPlainText

/// The file that a team hands out so that devices can trust it: its public key as PEM, with its name above.
package struct TeamFile: Sendable, Hashable {
    package static let byteLimit = 16 * 1024
    package static let nameLimit = 64

    package let name: String?
    package let key: TeamPublicKey

    /// The bytes before the point in a SubjectPublicKeyInfo of P-256 (RFC 5480).
    private static let prefix: [UInt8] = [
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48,
        0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
    ]
    private static let begin = "-----BEGIN PUBLIC KEY-----"
    private static let end = "-----END PUBLIC KEY-----"
    private static let nameMark = "Name: "

    package init(name: String?, key: TeamPublicKey) {
        self.name = name
        self.key = key
    }

    /// Reads the text of a file; it may come from anybody.
    package init(text: String) throws(CommandFailure) {
        guard text.utf8.count <= Self.byteLimit else { throw .teamFile("It is longer than \(Self.byteLimit) bytes.") }
        let lines = text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
        guard let first = lines.firstIndex(of: Self.begin), let last = lines[first...].firstIndex(of: Self.end) else {
            let isPrivate = lines.contains { $0.hasPrefix("-----BEGIN") && $0.contains("PRIVATE KEY") }
            throw .teamFile(
                isPrivate
                    ? "It is a private key. Only the file that ends in .team is handed out." : "It has no public key.")
        }
        guard !lines[(last + 1)...].contains(Self.begin) else { throw .teamFile("It has more than one public key.") }
        let encoded = lines[(first + 1)..<last].joined()
        guard let bytes = Data(base64Encoded: encoded).map([UInt8].init), bytes.starts(with: Self.prefix),
            let key = TeamPublicKey(Array(bytes.dropFirst(Self.prefix.count))), key.isOnCurve
        else { throw .teamFile("Its key is not a P-256 public key.") }
        self.key = key
        let named = lines[..<first].first { $0.hasPrefix(Self.nameMark) }.map {
            String($0.dropFirst(Self.nameMark.count))
        }
        if let named, !Self.isName(named) { throw .teamFile("Its name cannot be shown.") }
        name = named
    }

    /// The text of the file.
    package var text: String {
        let encoded = Data(Self.prefix + key.bytes).base64EncodedString(
            options: [.lineLength64Characters, .endLineWithLineFeed])
        let heading = (name.map { Self.nameMark + $0 + "\n" } ?? "") + "Team: \(key.identifier)\n\n"
        return heading + Self.begin + "\n" + encoded + "\n" + Self.end + "\n"
    }

    /// Names are shown on terminals: nothing in them moves the cursor or turns the direction of writing.
    package static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= nameLimit && PlainText.isShown(text)
            && text.first != " " && text.last != " "
    }
}

extension CommandFailure {
    fileprivate static func teamFile(_ why: String) -> CommandFailure {
        CommandFailure(
            .inputMalformed, "This is not a team file.", why: why,
            advice: "`latchkey team create` writes it, as TEAMID.team beside the private key.")
    }
}
