internal import LatchkeyCryptoSuite
internal import LatchkeySecretMemory
internal import LatchkeySyncCore

/// The purpose of a derived key, or of a hash. The text is a part of the derivation, so that no two purposes share a value.
enum SyncPurpose: String {
    case share
    case commitment
    case earlier
    case segment
    case snapshot
    case description
    case name
    case digest
    case contentDigest = "content digest"
    case recoverySigning = "recovery signing"
    case recoveryAgreement = "recovery agreement"
    case recoveryEncapsulation = "recovery encapsulation"
    case invitation
    case request
    case member
    case joiner
    case seal
    case fingerprint
}

/// The `info` of a derivation: `latchkey sync ` || purpose || 00, and then values of fixed lengths.
struct SyncInfo {
    private(set) var bytes: [UInt8]

    init(_ purpose: SyncPurpose) {
        bytes = Array("latchkey sync \(purpose.rawValue)".utf8) + [0]
    }

    func adding(_ more: [UInt8]) -> SyncInfo {
        var info = self
        info.bytes += more
        return info
    }

    func adding(_ circle: CircleIdentifier) -> SyncInfo { adding(circle.bytes) }

    func adding(_ zone: ZoneClass) -> SyncInfo { adding([zone.rawValue]) }

    /// Appends a number, big-endian.
    func adding(_ number: some FixedWidthInteger & UnsignedInteger) -> SyncInfo { adding(number.bigEndianBytes) }
}

extension SecretBox {
    /// The length of every symmetric key here.
    static let keyByteCount = 32

    /// Derives a key with HKDF-SHA256 and no salt.
    func derived(_ info: SyncInfo, count: Int = keyByteCount) -> SecretBox {
        do throws(CryptoFailure) {
            return try HKDFSHA256.derive(self, info: info.bytes, count: count)
        } catch {
            preconditionFailure("the length of a derived key is fixed, and HKDF allows it: \(error)")
        }
    }

    /// Computes a code as a secret of its own, for comparing in constant time.
    func code(_ info: SyncInfo) -> SecretBox { HMACSHA256.secret(over: info.bytes, key: self) }
}
