import Foundation
import LocalAuthentication
import Security
import SecurityTesting
import Testing

extension Table {
    /// Keys of the enclave (8.3, 9.3, 10.2, 11). Each row has a device.
    static let enclaveKeys = Table { table in
        table.addEnclaveKeys()
        table.addPermanence()
        table.addEnclaveRefusals()
        table.addEnclaveConditions()
        table.addEnclaveLives()
    }

    private mutating func addEnclaveKeys() {
        row("11", "a key of the enclave is stored, its public half is not", only: .key) { s in
            let key = try s.newEnclaveKey()
            s.expect(s.count([:]) == 1, "one item")
            let found = s.attributes(of: [:])
            s.expect(found["tkid"], is: "com.apple.setoken", "token")
            s.expect(found["kcls"], is: 1, "class")
            s.expect(found["type"], is: 73, "type")
            s.expect(found["bsiz"], is: 256, "size")
            s.expect(found["perm"], is: 1, "permanent")
            s.expect(found["klbl"], is: try s.label(of: try #require(SecKeyCopyPublicKey(key))), "label")
            s.expect(found["toid"] is Data, "the wrapped key")
        }
        row("11", "the public half is stored where it is asked for", only: .key) { s in
            _ = try s.newEnclaveKey(publicAttributes: [kSecAttrIsPermanent: true, kSecAttrLabel: "public"])
            s.expect(s.attributes(of: [kSecAttrKeyClass: kSecAttrKeyClassPublic])["labl"], is: "public", "label")
            s.expect(s.count([:]) == 2, "both halves")
        }
        row("11", "a key that is not permanent signs and is not stored", only: .key) { s in
            let key = try s.newEnclaveKey(attributes: [kSecAttrIsPermanent: false])
            s.sign(with: key)
            s.expect(s.count([:]) == 0, "nothing stored")
        }
        row("9.3, 11", "a private key of the enclave is not given out", only: .key) { s in
            let key = try s.newEnclaveKey()
            var error: Unmanaged<CFError>?
            s.expect(SecKeyCopyExternalRepresentation(key, &error) == nil, "no representation")
            s.expect(Scene.status(error) == errSecUnimplemented, "the code")
            s.expect(s.find([kSecReturnData: true]) == nil, "no data")
            let found = s.find([kSecReturnData: true, kSecReturnAttributes: true]) as? [String: Any]
            s.expect(found != nil && found?["v_Data"] == nil, "no data among the attributes")
        }
        row("9.3, 11", "its public half is an ordinary key", only: .key) { s in
            let publicKey = try #require(SecKeyCopyPublicKey(try s.newEnclaveKey()))
            let point = try s.representation(of: publicKey)
            s.expect(point.count == 65 && point.first == 4, "an uncompressed point")
        }
        row("10.2", "what a key of the enclave can do", only: .key) { s in
            let key = try s.newEnclaveKey()
            let wanted: [(SecKeyOperationType, SecKeyAlgorithm, Bool)] = [
                (.sign, .ecdsaSignatureMessageX962SHA256, true), (.sign, .ecdsaSignatureDigestX962, true),
                (.sign, SecKeyAlgorithm(rawValue: "algid:sign:ECDSA:RFC4754" as CFString), true),
                (.verify, .ecdsaSignatureMessageX962SHA256, false),
                (.decrypt, .eciesEncryptionStandardX963SHA256AESGCM, true),
                (.encrypt, .eciesEncryptionStandardX963SHA256AESGCM, false),
                (.keyExchange, .ecdhKeyExchangeStandard, true), (.sign, .rsaSignatureMessagePSSSHA256, false),
            ]
            for (operation, algorithm, isSupported) in wanted {
                s.expect(
                    SecKeyIsAlgorithmSupported(key, operation, algorithm) == isSupported, "\(algorithm.rawValue)")
            }
        }
        row("10.3, 11", "a key of the enclave decrypts what is for its public half", only: .key) { s in
            let key = try s.newEnclaveKey()
            let publicKey = try #require(SecKeyCopyPublicKey(key))
            let algorithm = SecKeyAlgorithm.eciesEncryptionCofactorVariableIVX963SHA256AESGCM
            let sealed = try #require(SecKeyCreateEncryptedData(publicKey, algorithm, Scene.message as CFData, nil))
            let opened = s.app.run { SecKeyCreateDecryptedData(key, algorithm, sealed, nil) } as Data?
            s.expect(opened, is: Scene.message, "plaintext")
        }
        row("9.7, 11", "two keys of the enclave agree", only: .key) { s in
            let (one, other) = (try s.newEnclaveKey(), try s.newEnclaveKey())
            let parameters = [SecKeyKeyExchangeParameter.requestedSize.rawValue: 32] as CFDictionary
            func secret(_ key: SecKey, _ peer: SecKey) throws -> Data {
                let peer = try #require(SecKeyCopyPublicKey(peer))
                return try #require(
                    s.app.run {
                        SecKeyCopyKeyExchangeResult(key, .ecdhKeyExchangeStandardX963SHA256, peer, parameters, nil)
                    } as Data?)
            }
            s.expect(try secret(one, other) == secret(other, one), "one secret")
        }
        row("9.4, 11", "a key comes back from its wrapped form on its device only", only: .key) { s in
            let key = try s.newEnclaveKey(attributes: [kSecAttrIsPermanent: false])
            let attributes = try #require(SecKeyCopyAttributes(key) as? [String: Any])
            let restoring =
                [
                    kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeyClass: kSecAttrKeyClassPrivate,
                    kSecAttrTokenID: kSecAttrTokenIDSecureEnclave, "toid" as CFString: attributes["toid"] as Any,
                ] as CFDictionary
            let restored = try #require(s.app.run { SecKeyCreateWithData(Data() as CFData, restoring, nil) })
            s.sign(with: restored)
            let elsewhere = try VirtualDevice()
            defer { elsewhere.close() }
            let other = elsewhere.install(s.name)
            s.expect(other.run { SecKeyCreateWithData(Data() as CFData, restoring, nil) } == nil, "not elsewhere")
        }
    }

    private mutating func addPermanence() {
        row("9.2", "permanence at the top level is about both halves of a key of the enclave", only: .key) { s in
            let key = try s.makeKey([
                kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
                kSecAttrTokenID: kSecAttrTokenIDSecureEnclave, kSecAttrIsPermanent: true,
                kSecAttrApplicationTag: "both",
            ])
            let tagged: [CFString: Any] = [kSecAttrApplicationTag: "both", kSecReturnRef: true]
            let publicKey = try #require(SecKeyCopyPublicKey(key))
            s.expect(
                s.find(tagged.with(kSecAttrKeyClass, kSecAttrKeyClassPublic)), is: publicKey, "the public key")
            s.expect(s.find(tagged.with(kSecAttrKeyClass, kSecAttrKeyClassPrivate)), is: key, "the private key")
            s.delete([kSecAttrApplicationTag: "both"])
        }
    }

    private mutating func addEnclaveRefusals() {
        let refused: [(String, OSStatus, @Sendable () -> [CFString: Any])] = [
            (
                "the enclave makes no key of RSA", errSecParam,
                {
                    [kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits: 2048]
                }
            ),
            (
                "the enclave makes no key of P-384", errSecParam,
                {
                    [kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 384]
                }
            ),
            ("an unknown token is not there", errSecItemNotFound, { [kSecAttrTokenID: "com.example.token"] }),
        ]
        for (rule, status, make) in refused {
            row("9.2, 11", rule, only: .key) { s in
                let base: [CFString: Any] = [
                    kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
                    kSecAttrTokenID: kSecAttrTokenIDSecureEnclave,
                ]
                s.refusesKey(base.merging(make()) { $1 }, with: status)
                s.expect(s.count([:]) == 0, "nothing stored")
            }
        }
        row("8.3, 11", "an access control without privateKeyUsage makes no key", only: .key) { s in
            let control = try #require(SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, [], nil))
            s.refusesKey(
                [
                    kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
                    kSecAttrTokenID: kSecAttrTokenIDSecureEnclave,
                    kSecPrivateKeyAttrs: [kSecAttrAccessControl: control] as [CFString: Any],
                ], with: errSecParam)
        }
        row("11", "bytes of a key are not taken into the enclave", only: .key) { s in
            let key = try s.newKey()
            s.add([kSecValueRef: key, kSecAttrTokenID: kSecAttrTokenIDSecureEnclave], gives: errSecParam)
            s.expect(s.count([:]) == 0, "nothing stored")
        }
        row("11", "keys of the enclave do not synchronise", only: .key) { s in
            s.refusesKey(
                [
                    kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
                    kSecAttrTokenID: kSecAttrTokenIDSecureEnclave,
                    kSecPrivateKeyAttrs: [
                        kSecAttrIsPermanent: true, kSecAttrSynchronizable: true,
                    ] as [CFString: Any],
                ], with: errSecParam)
        }
    }

    private mutating func addEnclaveConditions() {
        let conditions: [(String, SecAccessControlCreateFlags, [(Answers, OSStatus)])] = [
            ("nothing", [], [(.nobodyAsked, errSecSuccess)]),
            (
                "userPresence", .userPresence,
                [(.match, errSecSuccess), (.fallback, errSecSuccess), (.cancel, errSecUserCanceled)]
            ),
            ("biometryAny", .biometryAny, [(.match, errSecSuccess), (.threeMisses, errSecAuthFailed)]),
            ("biometryCurrentSet", .biometryCurrentSet, [(.match, errSecSuccess), (.cancel, errSecUserCanceled)]),
            ("devicePasscode", .devicePasscode, [(.passcode, errSecSuccess), (.wrongPasscodes, errSecAuthFailed)]),
        ]
        for (name, flags, cases) in conditions {
            for (answers, status) in cases {
                row("8.3, 11", "\(name) for a signature: \(answers.description)", only: .key) { s in
                    try Owner.finger.moveIn(s.device)
                    let key = try s.newEnclaveKey(flags)
                    s.sign(with: key, answers, gives: status)
                }
            }
        }
        row("8.3, 11", "each signature asks again", only: .key) { s in
            try Owner.finger.moveIn(s.device)
            let key = try s.newEnclaveKey(.biometryAny)
            s.sign(with: key, .match)
            s.sign(with: key, .match)
            s.sign(with: key, .cancel, gives: errSecUserCanceled)
        }
        row("11", "a context that was given with the key is asked once", only: .key) { s in
            try Owner.finger.moveIn(s.device)
            _ = try s.newEnclaveKey(.userPresence)
            let context = s.context()
            let key = try #require(
                s.find([kSecReturnRef: true, kSecUseAuthenticationContext: context]) as? SecKey)
            s.sign(with: key, .match)
            s.sign(with: key)
            context.invalidate()
            s.sign(with: key, gives: errSecAuthFailed)
        }
        row("11", "finding a key shows no prompt", only: .key) { s in
            try Owner.finger.moveIn(s.device)
            _ = try s.newEnclaveKey(.userPresence)
            s.asked(.nobodyAsked) {
                s.find([kSecReturnRef: true])
                s.find([kSecReturnAttributes: true])
            }
        }
        row("8.3", "another finger ends a key of the current set", only: .key) { s in
            try Owner.finger.moveIn(s.device)
            let key = try s.newEnclaveKey(.biometryCurrentSet)
            try s.device.enroll(.leftThumb)
            s.sign(with: key, gives: errSecItemNotFound)
            s.find([kSecReturnRef: true], gives: errSecItemNotFound)
        }
    }

    private mutating func addEnclaveLives() {
        row("7.1, 11", "a locked device signs with no key of the class ak", only: .key) { s in
            try Owner.passcode.moveIn(s.device)
            let key = try s.newEnclaveKey(protection: kSecAttrAccessibleWhenUnlockedThisDeviceOnly)
            let open = try s.newEnclaveKey(protection: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly)
            try s.device.lock()
            s.sign(with: key, gives: errSecInteractionNotAllowed)
            s.sign(with: open)
            try s.device.reboot()
            s.sign(with: open, gives: errSecInteractionNotAllowed)
            try s.device.unlock(Owner.code)
            s.sign(with: key)
            s.sign(with: open)
        }
        row("11", "the item of a key is found while the device is locked", only: .key) { s in
            try Owner.passcode.moveIn(s.device)
            let key = try s.newEnclaveKey(protection: kSecAttrAccessibleWhenUnlocked)
            try s.device.lock()
            s.expect(s.find([kSecReturnRef: true]), is: key, "reference")
            s.expect(s.attributes(of: [:])["pdmn"], is: "dk", "its row is always open")
        }
        row("7.3, 11", "a key for as long as there is a passcode goes with it, for good", only: .key) { s in
            try Owner.passcode.moveIn(s.device)
            let key = try s.newEnclaveKey(protection: kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly)
            let other = try s.newEnclaveKey(protection: kSecAttrAccessibleWhenUnlocked, label: "other")
            try s.device.removePasscode(Owner.code)
            s.sign(with: key, gives: errSecItemNotFound)
            s.find([kSecValueRef: key], gives: errSecItemNotFound)
            try s.device.setPasscode("another")
            s.sign(with: key, gives: errSecItemNotFound)
            s.expect(s.count([:]) == 1, "the other key is left")
            s.sign(with: other)
        }
        row("7.1, 11", "a key for as long as there is a passcode needs one", only: .key) { s in
            s.refusesKey(
                [
                    kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
                    kSecAttrTokenID: kSecAttrTokenIDSecureEnclave,
                    kSecPrivateKeyAttrs: [
                        kSecAttrAccessControl: try s.control(
                            .privateKeyUsage, "\(kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly)")
                    ] as [CFString: Any],
                ], with: errSecNotAvailable)
        }
        row("6.6, 11", "deletion is final, also for who still holds the key", only: .key) { s in
            let key = try s.newEnclaveKey()
            s.sign(with: key)
            s.delete([kSecValueRef: key])
            s.sign(with: key, gives: errSecItemNotFound)
            s.find([kSecValueRef: key], gives: errSecItemNotFound)
            try s.device.reboot()
            s.sign(with: key, gives: errSecItemNotFound)
        }
        row("6.5, 11", "label and tag of a key can be changed", only: .key) { s in
            let key = try s.newEnclaveKey(label: "before")
            s.update([kSecAttrLabel: "before"], [kSecAttrLabel: "after", kSecAttrApplicationTag: "t"])
            s.expect(s.find([kSecAttrApplicationTag: "t", kSecReturnRef: true]), is: key, "reference")
            s.sign(with: key)
        }
        row("6.4", "a certificate and its key in the enclave are an identity", only: .key) { s in
            let key = try s.newEnclaveKey()
            let point = try s.representation(of: try #require(SecKeyCopyPublicKey(key)))
            s.add([kSecClass: kSecClassCertificate, kSecValueRef: try Papers.certificate(ofPoint: point)])
            let identity = try #require(s.find([kSecClass: kSecClassIdentity, kSecReturnRef: true]) as? SecIdentity)
            s.expect(try identity.key, is: key, "its key")
            s.sign(with: try identity.key)
        }
    }
}

extension Scene {
    /// A permanent key of the enclave, with conditions beside `privateKeyUsage`.
    func newEnclaveKey(
        _ flags: SecAccessControlCreateFlags = [], protection: CFString = kSecAttrAccessibleWhenUnlockedThisDeviceOnly,
        label: String? = nil, attributes: [CFString: Any] = [:], publicAttributes: [CFString: Any]? = nil
    ) throws -> SecKey {
        var privateAttributes: [CFString: Any] = [
            kSecAttrAccessControl: try control(flags.union(.privateKeyUsage), "\(protection)")
        ]
        if let label { privateAttributes[kSecAttrLabel] = label }
        var parameters: [CFString: Any] = [
            kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
            kSecAttrTokenID: kSecAttrTokenIDSecureEnclave,
            kSecPrivateKeyAttrs: privateAttributes.merging(attributes) { $1 },
        ]
        if let publicAttributes { parameters[kSecPublicKeyAttrs] = publicAttributes }
        return try makeKey(parameters)
    }
}
