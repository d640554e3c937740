import LatchkeyAccessControl
import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeychainMessages

/// Messages about keys of the enclave, of every shape.
extension Samples {
    static let longestBlob = [UInt8](repeating: 0xAB, count: EnclaveLimits.keyBlobByteCount)
    static let point = [4] + [UInt8](repeating: 7, count: 64)

    static let plain = AccessControl(protection: .always)
    /// With every field that an access control can have.
    static let longestControl =
        (try? AccessControl(
            protection: .whenPasscodeSetThisDeviceOnly,
            flags: [.privateKeyUsage, .biometryCurrentSet, .devicePasscode, .applicationPassword, .or]
        ))?.bound(to: EnrolmentSet([UInt8](repeating: 1, count: 16))) ?? plain

    static let keyRequests: [KeyRequest] =
        ([nil] + interactions.map { $0 }).flatMap { interaction -> [KeyRequest] in
            [
                .create(accessControl: plain, interaction),
                .sign(blob: [1, 2, 3], digest: [9], interaction), .agree(blob: [], peer: point, interaction),
                .signMessage(blob: [1, 2, 3], message: [4, 5], contextString: [6], interaction),
                .decapsulate(blob: [1, 2], ciphertext: [UInt8](repeating: 3, count: 1088), interaction),
            ]
        } + [
            .create(accessControl: plain, nil), .create(accessControl: longestControl, nil),
            .sign(blob: longestBlob, digest: [UInt8](repeating: 0, count: 64), nil), .describe(blob: []),
            .describe(blob: longestBlob),
            .signMessage(blob: [], message: [], nil),
            .signMessage(
                blob: longestBlob, message: [UInt8](repeating: 1, count: EnclaveLimits.messageByteCount),
                contextString: [UInt8](repeating: 2, count: EnclaveLimits.contextStringByteCount), nil),
            .decapsulate(blob: longestBlob, ciphertext: [UInt8](repeating: 3, count: 1568), nil),
        ] + NewEnclaveKey.allCases.map { .create($0, accessControl: plain, nil) }

    static let keyReplies: [KeyReply] =
        [
            .created(blob: [1], publicKey: point), .created(blob: longestBlob, publicKey: point),
            .signature([0x30, 6, 2, 1, 1, 2, 1, 1]), .agreed(secret("32 bytes of a shared secret, so")),
            .described(publicKey: point, accessControl: plain),
            .described(publicKey: point, accessControl: longestControl),
            .failed(.itemNotFound, nil),
            .failed(.param, Refusal(rule: .badPeer, reason: "Grund", advice: "")),
            .signature([UInt8](repeating: 1, count: 4627)),
        ]
        + EnclaveKeyKind.allCases.flatMap { kind -> [KeyReply] in
            let publicKey = [UInt8](repeating: 5, count: kind.publicKeyByteCount)
            return [
                .created(blob: longestBlob, publicKey: publicKey),
                .described(publicKey: publicKey, accessControl: plain),
            ]
        }
}
