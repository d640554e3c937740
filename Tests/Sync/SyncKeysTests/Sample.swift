import LatchkeyCryptoSuite
import LatchkeyEncoding
import LatchkeySecretMemory
import LatchkeySyncCore
import LatchkeyTestSupport
import Synchronization
import Testing

@testable import LatchkeySyncKeys

/// Random bytes that are the same in every run.
final class SeededEntropy: Entropy {
    private let random: Mutex<SplitMix>

    init(seed: UInt64) {
        random = Mutex(SplitMix(seed: seed))
    }

    func fill(_ bytes: UnsafeMutableRawBufferPointer) {
        random.withLock { random in
            for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: random.next()) }
        }
    }
}

extension SecretBox {
    convenience init(_ text: String) { self.init(copying: Array(text.utf8)) }

    var testOnlyBytes: [UInt8] { withBytes { Array($0) } }
    var testOnlyText: String { String(decoding: testOnlyBytes, as: UTF8.self) }
}

/// Fixed values that follow from their names, as in `Fixtures/Vectors/sync-keys`.
enum Sample {
    static func fixed(_ name: String, _ count: Int = 32) -> [UInt8] {
        Array(sha256(Array(name.utf8)).prefix(count))
    }

    static let circle = CircleIdentifier(fixed("circle", 16))!
    static let device = DeviceIdentifier(fixed("device", 16))!
    static let epoch = ObjectHash(fixed("epoch"))!
    static let earlier = ObjectHash(fixed("earlier epoch"))!
    static let keyA = ZoneKey(SecretBox(copying: fixed("zone key A")))!
    static let keyC = ZoneKey(SecretBox(copying: fixed("zone key C")))!
    static let earlierKeyA = ZoneKey(SecretBox(copying: fixed("earlier zone key A")))!
    static let circleSecret = CircleSecret(SecretBox(copying: fixed("circle secret")))!
    static let keys = EpochKeys(a: keyA, c: keyC, circleSecret: circleSecret)
    static let number = EpochNumber(7)
    static let commitments = ZoneCommitment.commitments(to: keys, in: circle, number)

    static func epoch(_ commitments: ZoneCommitments = commitments, number: EpochNumber = number) throws -> Epoch {
        try Epoch(number: number, commitments: commitments, shares: [:])
    }
}

/// The answers of another implementation (`Fixtures/Vectors/sync-keys`).
struct Answers: Decodable {
    let recoveryCode, recoveryPublicKeys, commitments, shareA, shareC, wrappedEarlierA, segment, snapshotPart: String
    let description, name, digest, invitationCode, invitationName, requestName, memberCode, joinerCode: String
    let invitationDescription, fingerprint, fingerprintRequestName: String

    static func all() throws -> Answers { try Vectors.decoded("sync-keys/answers.json") }

    static func bytes(_ text: String) throws -> [UInt8] {
        try #require(Hexadecimal.bytes(from: Array(text.utf8)))
    }
}
