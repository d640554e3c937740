import Foundation
import Glibc
import LatchkeyCodeSignature
import LatchkeyItemModel
import LatchkeyPropertyListDER
import Testing

/// A statement and its signature, for tests to damage.
struct Signed {
    static let digest = [UInt8](repeating: 0xD1, count: 32)
    static let date = 700_000_000.25

    let key = TeamKey.generate()

    var team: TeamIdentifier { key.publicKey.identifier }
    var application: String { team.text + ".com.example.mail" }

    func statement(
        application: String? = nil, digest: [UInt8] = Self.digest, date: Double = Self.date,
        _ entitlements: [String: PropertyValue]? = nil
    ) throws -> SignatureStatement {
        let usual: [String: PropertyValue] = [
            "keychain-access-groups": .array([.string(team.text + ".shared")]), "unknown": .integer(7),
        ]
        return try SignatureStatement(
            application: application ?? self.application, entitlements: try ProgramEntitlements(entitlements ?? usual),
            digest: digest, date: date, team: team)
    }

    func signature(digest: [UInt8] = Self.digest) throws -> ProgramSignature {
        try key.sign(try statement(digest: digest))
    }
}

/// Expects a failure with that rule, whatever its details.
func expectRule(
    _ rule: Rule, _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Void
) {
    let failure = #expect(throws: SignatureFailure.self, comment, sourceLocation: sourceLocation, performing: body)
    #expect(failure?.rule == rule, comment, sourceLocation: sourceLocation)
}

/// Lends an image of the file at a path.
func withImage<R>(at path: String, _ body: (ExecutableImage) throws -> R) throws -> R {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    return try body(try ExecutableImage(descriptor: descriptor))
}

/// Lends an image of a file that has no name.
func withImage<R>(of bytes: [UInt8], _ body: (ExecutableImage) throws -> R) throws -> R {
    var template = Array("/tmp/latchkey-image-XXXXXX".utf8CString)
    let descriptor = mkstemp(&template)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    unlink(template)
    var written = 0
    while written < bytes.count {
        let count = bytes[written...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        try #require(count > 0)
        written += count
    }
    return try body(try ExecutableImage(descriptor: descriptor))
}
