import Foundation
import LatchkeyAccessControl
import LatchkeyAsymmetricKeys
import LatchkeyCryptoSuite
import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyKeychainService
import LatchkeySecretMemory
import LatchkeyTestSupport
import Testing

@Suite("Keys of the enclave are made and used")
struct KeyCallTests {
    private static func control(
        _ flags: AccessControlFlags, _ protection: ProtectionClass = .whenUnlocked
    ) throws -> AccessControl { try AccessControl(protection: protection, flags: flags) }

    @Test("a signature is right, two keys agree on one secret, and each use is one message to the enclave")
    func uses() throws {
        let keychain = try TestKeychain()
        let (one, other) = (try keychain.makeKey(), try keychain.makeKey())
        #expect(one.publicKey.kind == .ellipticCurve(.p256))
        #expect(one.blob != other.blob)
        let messages = keychain.mailbox.messages {
            for key in [one, other] { #expect(keychain.isSigned(keychain.sign(key), by: key)) }
        }
        #expect(messages == ["SignDigest", "SignDigest"])
        #expect(!keychain.isSigned(keychain.sign(one), by: other))
        func agree(_ key: EnclaveKey, _ peer: [UInt8]) -> Result<EnclaveKeySecret, EnclaveKeyRefusal> {
            keychain.ask(AgreeWithKey(key.blob, peer: peer))
        }
        let secret = try #require(agree(one, other.publicKey.externalRepresentation).agreed)
        #expect(agree(other, one.publicKey.externalRepresentation).agreed == secret)
        let software = try PrivateKey(generating: .ellipticCurve(.p256))
        let withSoftware = agree(one, software.publicKey.externalRepresentation).agreed
        #expect(try software.agree(with: one.publicKey).withBytes { Array($0) } == withSoftware)
        #expect(withSoftware != secret)
    }

    @Test("a description tells point and access control, without a prompt")
    func description() throws {
        let stage = try AuthenticationStage()
        let key = try stage.keychain.makeKey([.privateKeyUsage, .userPresence])
        let description = try stage.keychain.ask(DescribeEnclaveKey(key.blob)).get()
        #expect(description.publicKey == key.publicKey.externalRepresentation)
        #expect(description.accessControl.flags == [.privateKeyUsage, .userPresence])
        #expect(stage.person.prompts.isEmpty)
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let question: @Sendable (EnclaveKey) throws -> any KeyQuestion
        let code: LatchkeyItemModel.ResultCode
        let rule: Rule

        init(
            _ name: String, _ code: LatchkeyItemModel.ResultCode, _ rule: Rule,
            _ question: @escaping @Sendable (EnclaveKey) throws -> any KeyQuestion
        ) {
            testDescription = name
            self.question = question
            self.code = code
            self.rule = rule
        }
    }

    private static func altered(_ bytes: [UInt8], at place: Int) -> [UInt8] {
        var bytes = bytes
        bytes[place] ^= 1
        return bytes
    }

    static let refused = [
        Row("a key that no program may use", .param, .privateKeyUsageMissing) { _ in
            CreateEnclaveKey(under: try control(.userPresence))
        },
        Row("a key with a plain protection", .param, .privateKeyUsageMissing) { _ in
            CreateEnclaveKey(under: AccessControl(protection: .whenUnlocked))
        },
        Row("a key until the next start", .param, .badAccessControl) { _ in
            CreateEnclaveKey(under: try control(.privateKeyUsage, .untilReboot))
        },
        Row("no digest", .param, .badDigest) { SignWithKey($0.blob, digest: []) },
        Row("a message in place of its digest", .param, .badDigest) {
            SignWithKey($0.blob, digest: [UInt8](repeating: 1, count: 65))
        },
        Row("a peer that is not a point", .param, .badPeer) { AgreeWithKey($0.blob, peer: [4, 1, 2]) },
        Row("a peer off the curve", .param, .badPeer) {
            AgreeWithKey($0.blob, peer: altered($0.publicKey.externalRepresentation, at: 64))
        },
        Row("an empty peer", .param, .badPeer) { AgreeWithKey($0.blob, peer: []) },
        Row("an empty blob", .itemNotFound, .enclaveKeyNotHere) { _ in DescribeEnclaveKey([]) },
        Row("a blob of another kind", .itemNotFound, .enclaveKeyNotHere) { _ in
            SignWithKey(Array("no key".utf8), digest: [1])
        },
        Row("a blob of a megabyte", .itemNotFound, .enclaveKeyNotHere) { _ in
            SignWithKey([UInt8](repeating: 1, count: 1 << 20), digest: [1])
        },
        Row("a blob that was cut", .itemNotFound, .enclaveKeyNotHere) { DescribeEnclaveKey($0.blob.dropLast()) },
    ]

    @Test("what cannot be is refused by name, and on record", arguments: refused)
    func refusals(row: Row) throws {
        let keychain = try TestKeychain()
        let key = try keychain.makeKey()
        let refusal = keychain.refusal(of: try row.question(key))
        #expect(refusal?.code == row.code)
        #expect(refusal?.rule == row.rule)
        let record = try #require(keychain.refusals().first)
        #expect(record.refusal.rule == row.rule)
        #expect(record.code == row.code)
        #expect(["key-create", "sign", "agree", "key-describe"].contains(record.operation))
    }

    @Test("a blob of which any byte was altered signs nothing")
    func alteredBlobs() throws {
        let keychain = try TestKeychain()
        let key = try keychain.makeKey()
        for place in key.blob.indices {
            let reply = keychain.ask(
                SignWithKey(Self.altered(key.blob, at: place), digest: TestKeychain.digest))
            #expect(reply.code == .itemNotFound, "byte \(place)")
            #expect(reply.rule == .enclaveKeyNotHere, "byte \(place)")
        }
        #expect(keychain.isSigned(keychain.sign(key), by: key))
    }

    @Test("a key signs nothing on another device")
    func otherDevice() throws {
        let (one, other) = (try TestKeychain(), try TestKeychain())
        let key = try one.makeKey(.privateKeyUsage, .always)
        #expect(other.sign(key).rule == .enclaveKeyNotHere)
        #expect(other.ask(DescribeEnclaveKey(key.blob)).code == .itemNotFound)
        #expect(other.store(key).code == .itemNotFound)
    }

    struct Caller: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let caller: LatchkeyKeychainMessages.Caller
        let code: LatchkeyItemModel.ResultCode
    }

    static let callers = [
        Caller(
            testDescription: "denied", caller: .init(name: "n", accessGroups: ["g"], isDenied: true),
            code: .notAvailable),
        Caller(
            testDescription: "without groups", caller: .init(name: "n", accessGroups: []), code: .missingEntitlement),
        Caller(
            testDescription: "an app clip with another group",
            caller: .init(name: "n", accessGroups: ["g"], isAppClip: true), code: .restrictedAPI),
    ]

    private static let keyQuestions: Set = [
        "AgreeOnKey", "Decapsulate", "DeleteKeys", "DescribeKeys", "MakeKey", "SignDigest", "SignMessage",
    ]

    @Test("who has no keychain has no keys", arguments: callers)
    func programs(row: Caller) throws {
        let keychain = try TestKeychain()
        let key = try keychain.makeKey()
        let questions: [any KeyQuestion] = [
            CreateEnclaveKey(under: try Self.control(.privateKeyUsage)), SignWithKey(key.blob, digest: [1]),
            AgreeWithKey(key.blob, peer: []), DescribeEnclaveKey(key.blob),
        ]
        let messages = keychain.mailbox.messages {
            for question in questions {
                #expect(keychain.refusal(of: question, caller: row.caller)?.code == row.code)
            }
        }
        #expect(Self.keyQuestions.isDisjoint(with: messages))
    }

    @Test("many threads use many keys while the device is locked and unlocked")
    func concurrency() throws {
        let stage = try AuthenticationStage()
        let keychain = stage.keychain
        let keys = try (0..<4).map { _ in try keychain.makeKey(.privateKeyUsage, .whenUnlocked) }
        onThreads(5) { index in
            for round in 0..<20 {
                guard index > 0 else {
                    stage.lock()
                    _ = try? keychain.service.ask(UnlockDevice(secret("1234")), caller: TestKeychain.caller)
                    continue
                }
                let key = keys[(index + round) % keys.count]
                let reply = keychain.sign(key)
                #expect(keychain.isSigned(reply, by: key) || reply.rule == .classKeyLocked)
            }
        }
        for key in keys { #expect(keychain.isSigned(keychain.sign(key), by: key)) }
    }

    @Test("uses of keys are in the audit log: refusals with their rule, nothing of the key")
    func audit() throws {
        let keychain = try TestKeychain()
        let key = try keychain.makeKey()
        _ = keychain.sign(key)
        _ = keychain.ask(AgreeWithKey(key.blob, peer: [4]))
        keychain.service.close()
        let contents = try #require(FileManager.default.contents(atPath: keychain.directory + "/keychain/audit"))
        for text in ["key-create", "sign", "agree", "bad-peer"] {
            #expect(contents.range(of: Data(text.utf8)) != nil, "\(text)")
        }
        #expect(contents.range(of: Data(key.blob.suffix(16))) == nil)
    }

    struct Lock: Sendable, CustomTestStringConvertible {
        let protection: ProtectionClass
        /// While the device is locked after its first unlock.
        let isOpen: Bool

        var testDescription: String { protection.rawValue }
    }

    static let locks = [
        Lock(protection: .whenUnlocked, isOpen: false), Lock(protection: .whenUnlockedThisDeviceOnly, isOpen: false),
        Lock(protection: .whenPasscodeSetThisDeviceOnly, isOpen: false),
        Lock(protection: .afterFirstUnlock, isOpen: true), Lock(protection: .always, isOpen: true),
        Lock(protection: .afterFirstUnlockThisDeviceOnly, isOpen: true),
        Lock(protection: .alwaysThisDeviceOnly, isOpen: true),
    ]

    @Test("a locked device uses the keys of its open classes alone", arguments: locks)
    func locked(row: Lock) throws {
        let stage = try AuthenticationStage()
        let keychain = stage.keychain
        let key = try keychain.makeKey(.privateKeyUsage, row.protection)
        #expect(keychain.isSigned(keychain.sign(key), by: key))
        stage.lock()
        let reply = keychain.sign(key)
        #expect(keychain.isSigned(reply, by: key) == row.isOpen)
        #expect(reply.code == (row.isOpen ? .success : .interactionNotAllowed))
        #expect(reply.rule == (row.isOpen ? nil : .classKeyLocked))
        let control = try Self.control(.privateKeyUsage, row.protection)
        #expect(
            keychain.ask(CreateEnclaveKey(under: control)).code
                == (row.isOpen ? .success : .interactionNotAllowed))
        #expect(keychain.ask(DescribeEnclaveKey(key.blob)).code == .success)
        _ = try? keychain.service.ask(UnlockDevice(secret("1234")), caller: TestKeychain.caller)
        #expect(keychain.isSigned(keychain.sign(key), by: key))
    }

    @Test("without a passcode there is no key of its class; with the passcode it goes for good")
    func passcodeClass() throws {
        let keychain = try TestKeychain()
        func device(_ question: some ForwardedQuestion) throws {
            try keychain.service.ask(question, caller: TestKeychain.caller)
        }
        let control = try Self.control(.privateKeyUsage, .whenPasscodeSetThisDeviceOnly)
        let refused = keychain.ask(CreateEnclaveKey(under: control))
        #expect(refused.code == .notAvailable && refused.rule == .classKeyMissing)
        try device(SetPasscode(secret("1234")))
        let key = try keychain.makeKey(.privateKeyUsage, .whenPasscodeSetThisDeviceOnly)
        let other = try keychain.makeKey(.privateKeyUsage, .whenUnlocked)
        #expect(keychain.store(key).code == .success)
        try device(RemovePasscode(secret("1234")))
        #expect(keychain.sign(key).code == .itemNotFound)
        #expect(keychain.sign(key).rule == .enclaveKeyWithoutClass)
        #expect(keychain.call(.find, .key).code == .itemNotFound)
        try device(SetPasscode(secret("1234")))
        // There is a class key again, but another one.
        #expect(keychain.sign(key).rule == .enclaveKeyNotHere)
        #expect(keychain.call(.find, .key).code == .itemNotFound)
        #expect(keychain.isSigned(keychain.sign(other), by: other))
        #expect(keychain.status?.quarantinedRows == 0 && keychain.ended == [.passcodeRemoved: 1])
    }
}
