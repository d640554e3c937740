import Foundation
import LatchkeyPostQuantumKeys
import LatchkeySecretMemory
import LatchkeyTestSupport

/// The keys that another implementation makes of fixed seeds (`Fixtures/Vectors/post-quantum`).
struct Answer: Decodable {
    let kind: String
    let seed: String
    let publicKey: String
    let ciphertext: String?
    let secret: String?
    let alteredByte: Int?
    let alteredBit: Int?
    let rejectedSecret: String?
    let message: String?
    let context: String?
    let signature: String?

    static func all() throws -> [Answer] {
        try Vectors.decoded("post-quantum/answers.json")
    }

    static let kinds: [String: PostQuantumKeyKind] = [
        "ML-KEM-768": .mlkem768, "ML-KEM-1024": .mlkem1024, "ML-DSA-65": .mldsa65, "ML-DSA-87": .mldsa87,
    ]
}

extension [UInt8] {
    init(hexadecimal text: String) {
        let digits = text.compactMap { $0.hexDigitValue.map(UInt8.init) }
        self = stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}

extension SecretBox {
    var testOnlyBytes: [UInt8] { withBytes { Array($0) } }
}
