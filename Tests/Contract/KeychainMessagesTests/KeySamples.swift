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

    static let keyQuestions: [any KeyQuestion] =
        ([nil] + interactions.map { $0 }).flatMap { interaction -> [any KeyQuestion] in
            [
                CreateEnclaveKey(under: plain, interaction),
                SignWithKey([1, 2, 3], digest: [9], interaction), AgreeWithKey([], peer: point, interaction),
                SignMessageWithKey([1, 2, 3], message: [4, 5], contextString: [6], interaction),
                DecapsulateWithKey([1, 2], ciphertext: [UInt8](repeating: 3, count: 1088), interaction),
            ]
        } + [
            CreateEnclaveKey(under: plain), CreateEnclaveKey(under: longestControl),
            SignWithKey(longestBlob, digest: [UInt8](repeating: 0, count: 64)), DescribeEnclaveKey([]),
            DescribeEnclaveKey(longestBlob),
            SignMessageWithKey([], message: []),
            SignMessageWithKey(
                longestBlob, message: [UInt8](repeating: 1, count: EnclaveLimits.messageByteCount),
                contextString: [UInt8](repeating: 2, count: EnclaveLimits.contextStringByteCount)),
            DecapsulateWithKey(longestBlob, ciphertext: [UInt8](repeating: 3, count: 1568)),
        ] + NewEnclaveKey.allCases.map { CreateEnclaveKey($0, under: plain) }

    private static let publicKeys = EnclaveKeyKind.allCases.map { [UInt8](repeating: 5, count: $0.publicKeyByteCount) }

    static let createdKeys =
        [CreatedEnclaveKey(blob: [1], publicKey: point), CreatedEnclaveKey(blob: longestBlob, publicKey: point)]
        + publicKeys.map { CreatedEnclaveKey(blob: longestBlob, publicKey: $0) }

    static let keyDescriptions =
        [plain, longestControl].map { EnclaveKeyDescription(publicKey: point, accessControl: $0) }
        + publicKeys.map { EnclaveKeyDescription(publicKey: $0, accessControl: plain) }

    static let keySignatures = [
        EnclaveKeySignature([0x30, 6, 2, 1, 1, 2, 1, 1]), EnclaveKeySignature([UInt8](repeating: 1, count: 4627)),
    ]

    static let keySecret = EnclaveKeySecret(secret("32 bytes of a shared secret, so"))

    static let keyRefusals = [
        EnclaveKeyRefusal(.itemNotFound),
        EnclaveKeyRefusal(.param, Refusal(ruleName: Rule.badPeer.rawValue, reason: "Grund", advice: "")),
    ]
}
