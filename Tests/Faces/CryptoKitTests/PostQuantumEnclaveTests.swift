import CryptoKit
import Foundation
import LocalAuthentication
import SecurityTesting
import Testing

@Suite("Keys of SecureEnclave against quantum computers")
struct PostQuantumEnclaveTests {
    private static let message = Data("challenge".utf8)

    @Test("ML-KEM opens what was encapsulated for it", arguments: VirtualDevice.Backend.allCases)
    func decapsulate(_ backend: VirtualDevice.Backend) throws {
        let device = try VirtualDevice(backend: backend)
        try device.run {
            let small = try SecureEnclave.MLKEM768.PrivateKey()
            let one = try small.publicKey.encapsulate()
            #expect(try small.decapsulate(one.encapsulated) == one.sharedSecret)
            let again = try SecureEnclave.MLKEM768.PrivateKey(dataRepresentation: small.dataRepresentation)
            #expect(again.publicKey.rawRepresentation == small.publicKey.rawRepresentation)
            #expect(try again.decapsulate(one.encapsulated) == one.sharedSecret)
            var altered = one.encapsulated
            altered[7] ^= 1
            #expect(try small.decapsulate(altered) != one.sharedSecret)
            #expect(Refused { _ = try small.decapsulate(altered.dropLast()) } == .status(errSecParam))

            let large = try Self.generated(SecureEnclave.MLKEM1024.PrivateKey.self)
            let two = try large.publicKey.encapsulate()
            #expect(try large.decapsulate(two.encapsulated) == two.sharedSecret)
            let restored = try SecureEnclave.MLKEM1024.PrivateKey(dataRepresentation: Array(large.dataRepresentation))
            #expect(try restored.decapsulate(two.encapsulated) == two.sharedSecret)
            #expect(Refused { _ = try large.decapsulate(one.encapsulated) } == .status(errSecParam))
        }
        device.close()
    }

    @Test("ML-DSA signs, also for a context", arguments: VirtualDevice.Backend.allCases)
    func sign(_ backend: VirtualDevice.Backend) throws {
        let device = try VirtualDevice(backend: backend)
        try device.run {
            let purpose = Data("login".utf8)
            let small = try SecureEnclave.MLDSA65.PrivateKey()
            let plain = try small.signature(for: Self.message)
            #expect(small.publicKey.isValidSignature(plain, for: Self.message))
            #expect(!small.publicKey.isValidSignature(plain, for: Self.message, context: purpose))
            let bound = try small.signature(for: Self.message, context: purpose)
            #expect(small.publicKey.isValidSignature(bound, for: Self.message, context: purpose))
            let again = try SecureEnclave.MLDSA65.PrivateKey(dataRepresentation: small.dataRepresentation)
            #expect(small.publicKey.isValidSignature(try again.signature(for: Data()), for: Data()))

            let large = try SecureEnclave.MLDSA87.PrivateKey()
            let longest = Data(repeating: 5, count: 1 << 20)
            #expect(large.publicKey.isValidSignature(try large.signature(for: longest), for: longest))
            let restored = try SecureEnclave.MLDSA87.PrivateKey(dataRepresentation: large.dataRepresentation)
            let signature = try restored.signature(for: Self.message, context: Data(repeating: 1, count: 255))
            #expect(
                large.publicKey.isValidSignature(
                    signature, for: Self.message, context: Data(repeating: 1, count: 255)))
            #expect(Refused { _ = try large.signature(for: longest + [0]) } == .status(errSecParam))
            #expect(
                Refused { _ = try large.signature(for: Self.message, context: Data(repeating: 1, count: 256)) }
                    == .status(errSecParam))
        }
        device.close()
    }

    @Test("a key is of the one kind that it was made as")
    func kinds() throws {
        let device = try VirtualDevice()
        try device.run {
            let elliptic = try SecureEnclave.P256.Signing.PrivateKey().dataRepresentation
            let kem = try SecureEnclave.MLKEM768.PrivateKey().dataRepresentation
            let dsa = try SecureEnclave.MLDSA65.PrivateKey().dataRepresentation
            #expect(Refused { _ = try SecureEnclave.MLKEM768.PrivateKey(dataRepresentation: elliptic) } == Self.other)
            #expect(Refused { _ = try SecureEnclave.MLKEM1024.PrivateKey(dataRepresentation: kem) } == Self.other)
            #expect(Refused { _ = try SecureEnclave.MLDSA87.PrivateKey(dataRepresentation: dsa) } == Self.other)
            #expect(Refused { _ = try SecureEnclave.MLDSA65.PrivateKey(dataRepresentation: kem) } == Self.other)
            #expect(Refused { _ = try SecureEnclave.P256.Signing.PrivateKey(dataRepresentation: dsa) } == Self.other)
            #expect(
                Refused { _ = try SecureEnclave.P256.KeyAgreement.PrivateKey(dataRepresentation: kem) } == Self.other)
        }
    }

    @Test("errors that are noticed in the program have reason, advice and rule as all others")
    func words() throws {
        let device = try VirtualDevice()
        try device.run {
            let kem = try SecureEnclave.MLKEM768.PrivateKey()
            let named: [CFString: Any] = [
                kSecAttrTokenID: kSecAttrTokenIDSecureEnclave, kSecAttrTokenOID: kem.dataRepresentation,
                kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeyClass: kSecAttrKeyClassPrivate,
            ]
            var made: Unmanaged<CFError>?
            #expect(SecKeyCreateWithData(Data() as CFData, named as CFDictionary, &made) == nil)
            let restored = #expect(throws: NSError.self) {
                try SecureEnclave.MLDSA65.PrivateKey(dataRepresentation: kem.dataRepresentation)
            }
            for error in [restored, made?.takeRetainedValue()] {
                #expect(error?.domain == NSOSStatusErrorDomain && error?.code == Int(errSecParam))
                #expect(error?.localizedFailureReason?.isEmpty == false)
                #expect(error?.localizedRecoverySuggestion?.isEmpty == false)
                #expect(error?.userInfo["NSDebugDescription"] as? String == "enclave-key-of-other-kind")
            }
            // The description is that of the code, and what happened is the reason.
            let bad = #expect(throws: NSError.self) { try kem.decapsulate(Data(count: 7)) }
            #expect(bad?.localizedDescription == restored?.localizedDescription)
            #expect(bad?.localizedFailureReason?.hasSuffix("this one has 7.") == true)
            let long = #expect(throws: NSError.self) { try kem.decapsulate(Data(count: 1569)) }
            #expect(
                long?.localizedFailureReason
                    == "A ciphertext has 1088 bytes for a key of ML-KEM-768, 1568 bytes for a key of ML-KEM-1024; "
                    + "this one has 1569.")
        }
    }

    @Test("they follow lock, device and person as all keys of the enclave do")
    func rules() throws {
        let device = try VirtualDevice()
        let other = try VirtualDevice()
        try device.setPasscode("1234")
        try device.enroll(.rightIndex)
        try device.run {
            let kem = try SecureEnclave.MLKEM768.PrivateKey(accessControl: accessControl())
            let guarded = try SecureEnclave.MLDSA65.PrivateKey(
                accessControl: accessControl(kSecAttrAccessibleWhenUnlockedThisDeviceOnly, .biometryCurrentSet))
            let capsule = try kem.publicKey.encapsulate().encapsulated
            device.script(.cancel, .match(.rightIndex))
            #expect(Refused { _ = try guarded.signature(for: Self.message) } == .authentication(.userCancel))
            #expect(Refused { _ = try guarded.signature(for: Self.message) } == .nothing)
            try device.lock()
            #expect(Refused { _ = try kem.decapsulate(capsule) } == .status(errSecInteractionNotAllowed))
            try device.unlock("1234")
            #expect(Refused { _ = try kem.decapsulate(capsule) } == .nothing)
            try device.enroll(.leftThumb)
            #expect(Refused { _ = try guarded.signature(for: Self.message) } == .status(errSecItemNotFound))
            let elsewhere = other.run {
                Refused { _ = try SecureEnclave.MLKEM768.PrivateKey(dataRepresentation: kem.dataRepresentation) }
            }
            #expect(elsewhere == .status(errSecItemNotFound))
        }
        #expect(device.unusedAnswers.isEmpty)
    }

    private static let other = Refused.status(errSecParam)

    private static func generated<Key: KEMPrivateKey>(_ type: Key.Type) throws -> Key {
        try Key.generate()
    }
}
