import LatchkeyPropertyListDER

/// A team's statement about one program: which application it is and what it may do.
package struct SignatureStatement: Sendable, Hashable {
    /// The version of the statement's rules that this code knows.
    package static let currentVersion = 1
    package static let byteLimit = 16 * 1024
    package static let digestByteCount = 32

    /// `TEAM.bundle`.
    package let application: String
    package let team: TeamIdentifier
    package let entitlements: ProgramEntitlements
    /// SHA-256 of the program's file with zeros where signatures are.
    package let digest: [UInt8]
    /// The oldest version of these rules that may evaluate the program.
    package let needs: Int
    /// When it was signed, to the microsecond (seconds since 2001-01-01 00:00:00 UTC).
    package let date: Double
    private let bytes: [UInt8]

    private enum Key {
        static let version = "version"
        static let application = "application"
        static let team = "team"
        static let entitlements = "entitlements"
        static let digest = "digest"
        static let algorithm = "algorithm"
        static let needs = "needs"
        static let date = "date"
        static let count = 8
    }

    private static let algorithm = "sha256"

    /// Makes a statement to be signed.
    package init(
        application: String, entitlements: ProgramEntitlements, digest: [UInt8], date: Double, team: TeamIdentifier
    ) throws(SignatureFailure) {
        // A new statement is parsed like a received one: the rules are in one place.
        try self.init(
            decoding: DERWriter.encode(
                .dictionary([
                    Key.version: .integer(Int64(Self.currentVersion)), Key.application: .string(application),
                    Key.team: .string(team.text), Key.entitlements: .dictionary(entitlements.dictionary),
                    Key.digest: .data(digest), Key.algorithm: .string(Self.algorithm), Key.needs: .integer(1),
                    Key.date: .date(date),
                ])))
    }

    /// Refuses everything but the canonical encoding of a valid statement.
    package init(decoding bytes: [UInt8]) throws(SignatureFailure) {
        guard bytes.count <= Self.byteLimit else { throw .tooLarge(byteCount: bytes.count) }
        let fields = try SignatureFields(decoding: bytes, what: "statement")
        let version = try fields.integer(Key.version)
        guard version == Self.currentVersion else {
            throw version > Self.currentVersion ? .tooNew(needs: version) : .malformed("its version is \(version)")
        }
        try fields.expect(count: Key.count)
        needs = try fields.integer(Key.needs)
        guard needs >= 1 else { throw .malformed("it needs version \(needs)") }
        guard needs <= Self.currentVersion else { throw .tooNew(needs: needs) }
        guard try fields.text(Key.algorithm) == Self.algorithm else { throw .malformed("its digest is not SHA-256") }
        digest = try fields.data(Key.digest)
        guard digest.count == Self.digestByteCount else { throw .malformed("its digest has \(digest.count) bytes") }
        date = try fields.date(Key.date)
        guard let team = TeamIdentifier(try fields.text(Key.team)) else {
            throw .malformed("its team is not a team identifier")
        }
        self.team = team
        application = try fields.text(Key.application)
        try Self.check(application: application, of: team)
        let dictionary = try fields.dictionary(Key.entitlements)
        do throws(ProgramEntitlements.Failure) {
            entitlements = try ProgramEntitlements(dictionary)
        } catch {
            throw .malformedEntitlements(error.description)
        }
        self.bytes = bytes
        try entitlements.check(for: application, of: team)
    }

    /// The canonical encoding: the bytes that are signed.
    package func encoded() -> [UInt8] { bytes }

    private static func check(application: String, of team: TeamIdentifier) throws(SignatureFailure) {
        let prefix = team.text + "."
        guard application.utf8.starts(with: prefix.utf8) else {
            throw .teamMismatch(expected: team, found: application)
        }
        let bundle = application.utf8.dropFirst(prefix.utf8.count)
        let isSound =
            bundle.count <= 255
            && bundle.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { part in
                !part.isEmpty && part.allSatisfy { isNameByte($0) }
            }
        guard isSound else { throw .malformed("\"\(application)\" is not an application identifier") }
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
