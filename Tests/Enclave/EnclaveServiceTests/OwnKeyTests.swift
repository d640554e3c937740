import Foundation
import LatchkeyAccessControl
import LatchkeyAsymmetricKeys
import LatchkeyEnclaveContract
import LatchkeyEnclaveService
import LatchkeyKeybag
import LatchkeySecretMemory
import LatchkeyTestSupport
import Testing

/// The enclave's own keys: making them, signing and agreeing.
@Suite struct OwnKeyTests {
    @Test("a key signs what openssl verifies, whatever the length of the digest", arguments: [1, 20, 28, 32, 48, 64])
    func openssl(byteCount: Int) throws {
        let device = try TestDevice()
        let key = try device.ownKey()
        let digest = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 * 7 + 1) }
        guard case .signed(let signature) = try device.enclave.ask(SignDigest(digest, with: key.blob, context: nil))
        else { throw Unexpected() }
        let publicKey = try PublicKey(externalRepresentation: key.publicKey, type: .ellipticCurve)
        let files = try TemporaryDirectory()
        func file(_ name: String, _ bytes: [UInt8]) throws -> String {
            let path = files.path + "/" + name
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            return path
        }
        func verdict(_ digest: [UInt8]) throws -> Int32 {
            let openssl = Process()
            openssl.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
            openssl.arguments = [
                "pkeyutl", "-verify", "-pubin", "-inkey", try file("key.pem", Array(publicKey.pem.utf8)),
                "-in", try file("digest", digest), "-sigfile", try file("signature", signature),
            ]
            openssl.standardOutput = FileHandle.nullDevice
            openssl.standardError = FileHandle.nullDevice
            try openssl.run()
            openssl.waitUntilExit()
            return openssl.terminationStatus
        }
        #expect(try verdict(digest) == 0)
        #expect(try verdict([digest[0] ^ 1] + digest.dropFirst()) != 0)
        #expect(isSigned(signature, digest, by: key.publicKey))
        #expect(isSigned(signature, Array(digest.prefix(32)), by: key.publicKey))
    }

    @Test("a digest of no bytes or more than 64 is malformed", arguments: [0, 65, 4096]) func digests(byteCount: Int)
        throws
    {
        let device = try TestDevice()
        let key = try device.ownKey()
        let digest = [UInt8](repeating: 1, count: byteCount)
        guard case .malformed = try device.refusal(of: SignDigest(digest, with: key.blob, context: nil)) else {
            throw Unexpected()
        }
    }

    private func secret(_ device: TestDevice, _ key: OwnKey, _ peer: [UInt8]) throws -> SecretBox {
        guard case .agreed(let secret) = try device.enclave.ask(AgreeOnKey(with: peer, by: key.blob, context: nil))
        else {
            throw Unexpected()
        }
        return secret
    }

    @Test("two keys agree on the same secret, and with a key outside too") func agreement() throws {
        let device = try TestDevice()
        let other = try TestDevice(seed: 2)
        let one = try device.ownKey()
        let two = try other.ownKey()
        let shared = try secret(device, one, two.publicKey)
        #expect(shared.count == 32)
        #expect(shared.equals(try secret(other, two, one.publicKey)))
        let outside = try PrivateKey(generating: .ellipticCurve(.p256))
        let point = try PublicKey(externalRepresentation: one.publicKey, type: .ellipticCurve)
        let together = try secret(device, one, outside.publicKey.externalRepresentation)
        #expect(together.equals(try outside.agree(with: point)))
        #expect(!together.equals(shared))
    }

    static let badPeers: [[UInt8]] = [
        [], [0], [4], [UInt8](repeating: 4, count: 65), [4] + [UInt8](repeating: 0, count: 64),
        [4] + [UInt8](repeating: 0xFF, count: 64), [0] + [UInt8](repeating: 0, count: 64),
        Array(TestDevice.peer.dropLast()), TestDevice.peer + [0], [2] + TestDevice.peer[1...32],
        [6] + TestDevice.peer.dropFirst(), Array(TestDevice.peer.dropLast()) + [TestDevice.peer[64] ^ 1],
        (try? PrivateKey(generating: .ellipticCurve(.p384)).publicKey.externalRepresentation) ?? [],
    ]

    @Test("a peer that is not a point of the curve is refused before the user is asked", arguments: badPeers)
    func badPeer(_ peer: [UInt8]) throws {
        let device = try TestDevice.withFinger()
        for flags: AccessControlFlags in [[], .userPresence] {
            let key = try device.ownKey(flags)
            guard case .badInput(.p256) = try device.enclave.ask(AgreeOnKey(with: peer, by: key.blob, context: nil))
            else {
                throw Unexpected()
            }
        }
    }

    @Test("each key is another one, with another identifier") func unique() throws {
        let device = try TestDevice()
        let keys = try (0..<20).map { _ in try device.ownKey() }
        #expect(Set(keys.map(\.publicKey)).count == 20)
        #expect(Set(try keys.map { try EnclaveKeyBlob(parsing: $0.blob).identifier }).count == 20)
    }

    @Test("a new key is bound: to the fingers enrolled now where it is for them") func bound() throws {
        let device = try TestDevice.withFinger()
        let set = try device.biometry.enrolmentSet
        let key = try EnclaveKeyBlob(parsing: try device.ownKey(.biometryCurrentSet).blob)
        #expect(key.accessControl.isBound)
        #expect(key.accessControl.enrolmentSet == set)
        #expect(try EnclaveKeyBlob(parsing: try device.ownKey(.biometryAny).blob).accessControl.enrolmentSet == nil)
        // A bound access control stays bound, while its fingers are enrolled.
        let question = MakeKey(under: key.accessControl, context: nil)
        guard case .created(let blob, _) = try device.enclave.ask(question) else { throw Unexpected() }
        #expect(try EnclaveKeyBlob(parsing: blob).accessControl == key.accessControl)
        device.sensor.enroll(.leftThumb)
        #expect(try device.enclave.ask(question) == .notBound(.enrolmentChanged))
    }

    static let impossibleControls: [AccessControl] = [
        AccessControl(protection: .whenUnlocked), try? AccessControl(protection: .whenUnlocked, flags: .userPresence),
        try? AccessControl(protection: .untilReboot, flags: .privateKeyUsage),
    ].compactMap(\.self)

    @Test(
        "no key is made without privateKeyUsage, nor for a class without a key",
        arguments: impossibleControls)
    func impossible(_ accessControl: AccessControl) throws {
        let device = try TestDevice()
        let question = MakeKey(under: accessControl, context: nil)
        guard case .malformed = try device.refusal(of: question) else { throw Unexpected() }
    }

    @Test("a rule about fingers needs fingers, and a password its context") func notBound() throws {
        let device = try TestDevice()
        func rule(_ flags: AccessControlFlags) throws -> VerdictRule? {
            guard case .notBound(let rule) = try device.makeKey(flags) else { throw Unexpected() }
            return rule
        }
        for flags: AccessControlFlags in [.biometryAny, .biometryCurrentSet] {
            #expect(try rule(flags) == .passcodeNotSet)
        }
        try device.expectDone(SetPasscode(passcode("1234")))
        for flags: AccessControlFlags in [.biometryAny, .biometryCurrentSet] {
            #expect(try rule(flags) == .biometryNotEnrolled)
        }
        for context in [nil, try device.openContext()] {
            #expect(
                try device.makeKey(.applicationPassword, context: context) == .refused(.authenticationNeeded))
        }
    }

    @Test("the requests for keys that are given out do not touch these") func noOtherWay() throws {
        let device = try TestDevice()
        let blob = try EnclaveKeyBlob(parsing: try device.ownKey().blob)
        let wrapped = WrappedKey(
            keyClass: blob.keyClass, use: .signing, binding: Array(blob.bytes.dropLast(80)),
            bytes: Array(blob.bytes.suffix(48)))
        let questions: [any EnclaveQuestion] = [
            CreateKey(.whenUnlocked, .signing), CreateKeys(.whenUnlocked, .signing, binding: [1], count: 2),
            UnwrapKeys([wrapped]),
        ]
        for question in questions {
            guard case .malformed = try device.refusal(of: question) else { throw Unexpected() }
        }
    }

    @Test("at most 256 keys are described or deleted at once, and each is answered") func batches() throws {
        let device = try TestDevice()
        let key = try device.ownKey()
        let many = [[UInt8]](repeating: key.blob, count: 257)
        for question: any EnclaveQuestion in [DescribeKeys(many), DeleteKeys(many)] {
            guard case .malformed = try device.refusal(of: question) else { throw Unexpected() }
        }
        let some = Array(many.prefix(254)) + [[], [1, 2, 3]]
        let descriptions = try device.enclave.ask(DescribeKeys(some))
        let present = KeyDescription.present(publicKey: key.publicKey, accessControl: key.accessControl)
        #expect(descriptions == [KeyDescription](repeating: present, count: 254) + [.gone(.damaged), .gone(.damaged)])
    }
}
