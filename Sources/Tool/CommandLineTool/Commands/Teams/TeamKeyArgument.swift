import Foundation
package import LatchkeyCodeSignature
import LatchkeyEncoding
import LatchkeyPlainText

/// A team's public key as the user names it: a file, or the 65 bytes of the key in hexadecimal or base64.
package struct TeamKeyArgument: Sendable, Hashable {
    package let key: TeamPublicKey
    /// As the file calls the team; nil where it does not.
    package let name: String?

    package init(_ argument: String) throws(CommandFailure) {
        if let bytes = Self.bytes(argument) {
            key = try Self.key(bytes)
            name = nil
            return
        }
        let text = try Self.text(ofFile: argument)
        if let bytes = Self.bytes(text.trimmingCharacters(in: .whitespacesAndNewlines)) {
            key = try Self.key(bytes)
            name = nil
        } else {
            let file = try TeamFile(text: text)
            (key, name) = (file.key, file.name)
        }
    }

    /// Decodes text of the right length as hexadecimal or base64; nil for other text, a file's name perhaps.
    private static func bytes(_ text: String) -> [UInt8]? {
        let hexadecimal = text.utf8.count == 2 * TeamPublicKey.byteCount ? Hexadecimal.bytes(from: text.utf8) : nil
        if let hexadecimal { return hexadecimal }
        let bytes = Data(base64Encoded: text).map { [UInt8]($0) }
        return bytes?.count == TeamPublicKey.byteCount ? bytes : nil
    }

    private static func key(_ bytes: [UInt8]) throws(CommandFailure) -> TeamPublicKey {
        guard let key = TeamPublicKey(bytes), key.isOnCurve else {
            throw CommandFailure(
                .inputMalformed, "This is not a team's key.", why: "Its bytes are not a point of the curve P-256.",
                advice: "Name the team's file, which ends in .team.")
        }
        return key
    }

    private static func text(ofFile path: String) throws(CommandFailure) -> String {
        let data: Data
        do {
            let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
            defer { try? file.close() }
            // One byte more than is allowed, so that a longer file is seen to be longer.
            data = try file.read(upToCount: TeamFile.byteLimit + 1) ?? Data()
        } catch {
            throw CommandFailure(
                .inputUnreadable, "\(PlainText.escaped(path)) cannot be read.", why: error.localizedDescription,
                advice: "Name a team's file, or give its key in hexadecimal or base64.")
        }
        return String(decoding: data, as: UTF8.self)
    }
}
