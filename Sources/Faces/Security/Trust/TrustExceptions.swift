import Foundation
import LatchkeyCertificates
import LatchkeyCryptoSuite
import LatchkeyPropertyListDER

/// The failures of one certificate that a user decided to ignore.
struct TrustExceptions: Sendable, Hashable {
    private static let version: Int64 = 1
    private static let byteLimit = 4096
    private static let digestByteCount = 32

    /// SHA-256 of the certificate.
    private let leaf: [UInt8]
    private let failures: Set<TrustFailure>

    /// Drops failures that cannot be excepted.
    init(leaf: Certificate, failures: [TrustFailure]) {
        self.leaf = sha256(leaf.der)
        self.failures = Set(failures.filter { $0.exceptionName != nil })
    }

    /// Nil for bytes that ``serialised`` did not make.
    init?(serialised data: NSData) {
        guard data.length <= Self.byteLimit, let value = try? DERReader.decode(data.byteArray),
            case .dictionary(let fields) = value, fields.count == 3, fields["v"] == .integer(Self.version),
            case .data(let leaf)? = fields["leaf"], leaf.count == Self.digestByteCount,
            case .array(let names)? = fields["failures"]
        else { return nil }
        var failures: Set<TrustFailure> = []
        for name in names {
            guard case .string(let text) = name, let failure = TrustFailure.exceptable[text] else { return nil }
            failures.insert(failure)
        }
        self.leaf = leaf
        self.failures = failures
    }

    var serialised: [UInt8] {
        let names = failures.compactMap(\.exceptionName).sorted()
        return DERWriter.encode(
            .dictionary([
                "v": .integer(Self.version), "leaf": .data(leaf), "failures": .array(names.map { .string($0) }),
            ]))
    }

    /// Returns the excepted failures of a certificate: none if the exceptions are for another one.
    func failures(of certificate: Certificate) -> Set<TrustFailure> {
        isFor(certificate) ? failures : []
    }

    func isFor(_ certificate: Certificate) -> Bool { sha256(certificate.der) == leaf }
}
