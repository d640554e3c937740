import Foundation
package import LatchkeyCodeSignature
import LatchkeyEncoding
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
    private static let label = "PUBLIC KEY"
    private static let nameMark = "Name: "

    package init(name: String?, key: TeamPublicKey) {
        self.name = name
        self.key = key
    }

    /// Reads the text of a file; it may come from anybody.
    package init(text: String) throws(CommandFailure) {
        guard text.utf8.count <= Self.byteLimit else { throw .teamFile("It is longer than \(Self.byteLimit) bytes.") }
        let contents = Array(text.utf8)
        let blocks = unsafe contents.lend { unsafe PEMBlock.all(in: $0) }
        let keys = blocks.filter { $0.label == Self.label }
        guard let block = keys.first else {
            let isPrivate = blocks.contains { $0.label.hasSuffix("PRIVATE KEY") }
            throw .teamFile(
                isPrivate
                    ? "It is a private key. Only the file that ends in .team is handed out." : "It has no public key.")
        }
        guard keys.count == 1 else { throw .teamFile("It has more than one public key.") }
        guard let bytes = Base64.bytes(from: Array(contents[block.content])), bytes.starts(with: Self.prefix),
            let key = TeamPublicKey(Array(bytes.dropFirst(Self.prefix.count))), key.isOnCurve
        else { throw .teamFile("Its key is not a P-256 public key.") }
        self.key = key
        let lines = String(decoding: contents[..<block.range.lowerBound], as: UTF8.self)
            .split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
        let named = lines.first { $0.hasPrefix(Self.nameMark) }.map { String($0.dropFirst(Self.nameMark.count)) }
        if let named, !Self.isName(named) { throw .teamFile("Its name cannot be shown.") }
        name = named
    }

    /// The text of the file.
    package var text: String {
        let encoded = Data(Self.prefix + key.bytes).base64EncodedString(
            options: [.lineLength64Characters, .endLineWithLineFeed])
        let heading = (name.map { Self.nameMark + $0 + "\n" } ?? "") + "Team: \(key.identifier)\n\n"
        return heading + "-----BEGIN \(Self.label)-----\n" + encoded + "\n-----END \(Self.label)-----\n"
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
