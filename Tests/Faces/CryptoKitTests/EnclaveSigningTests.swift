import CryptoKit
import Foundation
import LocalAuthentication
import Security
import SecurityTesting
import Testing

/// A use of the types as in programs, which give them protocols of their own.
private protocol Signer {
    func signature<D: DataProtocol>(for data: D) throws -> CryptoKit.P256.Signing.ECDSASignature
}

extension SecureEnclave.P256.Signing.PrivateKey: Signer {}

@Suite("Signing keys of SecureEnclave")
struct EnclaveSigningTests {
    private typealias Key = SecureEnclave.P256.Signing.PrivateKey
    private static let message = Data("challenge".utf8)

    @Test("sign data and digests, and the public key verifies them", arguments: VirtualDevice.Backend.allCases)
    func sign(_ backend: VirtualDevice.Backend) throws {
        let device = try VirtualDevice(backend: backend)
        try device.run {
            #expect(SecureEnclave.isAvailable)
            let key = try Key()
            let signature = try (key as any Signer).signature(for: Self.message)
            #expect(key.publicKey.isValidSignature(signature, for: Self.message))
            #expect(key.publicKey.isValidSignature(signature, for: SHA256.hash(data: Self.message)))
            #expect(!key.publicKey.isValidSignature(signature, for: Self.message + [0]))
            let long = SHA512.hash(data: Self.message)
            #expect(key.publicKey.isValidSignature(try key.signature(for: long), for: long))
            let middle = SHA384.hash(data: Self.message)
            #expect(key.publicKey.isValidSignature(try key.signature(for: middle), for: middle))
            let short = Insecure.SHA1.hash(data: Self.message)
            #expect(key.publicKey.isValidSignature(try key.signature(for: short), for: short))
            let empty = try key.signature(for: Data())
            #expect(key.publicKey.isValidSignature(empty, for: Data()))
        }
        device.close()
        #expect(device.findings.isEmpty)
    }

    @Test("have a compact public key unless the program does not mind")
    func compact() throws {
        let device = try VirtualDevice()
        try device.run {
            for _ in 0..<16 { #expect(try Key().publicKey.compactRepresentation != nil) }
            // One in two has none: of forty, a few.
            let others = try (0..<40).filter { _ in
                try Key(compactRepresentable: false).publicKey.compactRepresentation == nil
            }
            #expect((1..<40).contains(others.count))
        }
    }

    @Test("come back by their representation, on their device alone", arguments: VirtualDevice.Backend.allCases)
    func restore(_ backend: VirtualDevice.Backend) throws {
        let device = try VirtualDevice(backend: backend)
        let other = try VirtualDevice(backend: backend)
        let key = try device.run { try Key() }
        let representation = key.dataRepresentation
        try device.run {
            let again = try Key(dataRepresentation: representation)
            #expect(again.publicKey.rawRepresentation == key.publicKey.rawRepresentation)
            #expect(again.dataRepresentation == representation)
            #expect(key.publicKey.isValidSignature(try again.signature(for: Self.message), for: Self.message))
        }
        let elsewhere = other.run { Refused { _ = try Key(dataRepresentation: representation) } }
        #expect(elsewhere == .status(errSecItemNotFound))
        // The value stays with the device that it was made on, wherever it is used.
        _ = try other.run { try key.signature(for: Self.message) }
        device.close()
        other.close()
    }

    @Test("do not come back from altered, shortened or other bytes")
    func damaged() throws {
        let device = try VirtualDevice()
        try device.run {
            let bytes = try Key().dataRepresentation
            for index in bytes.indices {
                var altered = bytes
                altered[index] ^= 1
                #expect(
                    Refused { _ = try Key(dataRepresentation: altered) } == .status(errSecItemNotFound),
                    "byte \(index)")
            }
            for bytes in [Data(), bytes.dropLast(), bytes + [0], Data(repeating: 4, count: 100_000)] {
                #expect(Refused { _ = try Key(dataRepresentation: bytes) } == .status(errSecItemNotFound))
            }
            // A slice does not begin at 0.
            let padded = Data([1, 2, 3]) + bytes
            #expect(Refused { _ = try Key(dataRepresentation: padded.dropFirst(3)) } == .nothing)
        }
    }

    @Test("altered at their end are noticed at the first use, if the device is locked before")
    func alteredWhileLocked() throws {
        let device = try VirtualDevice()
        try device.setPasscode("1234")
        try device.run {
            var bytes = try Key(accessControl: accessControl()).dataRepresentation
            bytes[bytes.count - 1] ^= 1
            #expect(Refused { _ = try Key(dataRepresentation: bytes) } == .status(errSecItemNotFound))
            try device.lock()
            let key = try Key(dataRepresentation: bytes)
            try device.unlock("1234")
            #expect(Refused { _ = try key.signature(for: Self.message) } == .status(errSecItemNotFound))
        }
    }

    @Test("are usable from the first unlock on if nothing else is said", arguments: VirtualDevice.Backend.allCases)
    func usualProtection(_ backend: VirtualDevice.Backend) throws {
        let device = try VirtualDevice(backend: backend)
        try device.setPasscode("1234")
        try device.run {
            let usual = try Key()
            let strict = try Key(accessControl: accessControl())
            // An access control that is a protection class and nothing else.
            let plain = try Key(
                accessControl: #require(
                    SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlockedThisDeviceOnly, [], nil)))
            try device.lock()
            #expect(Refused { _ = try usual.signature(for: Self.message) } == .nothing)
            for key in [strict, plain] {
                #expect(
                    Refused { _ = try key.signature(for: Self.message) } == .status(errSecInteractionNotAllowed))
            }
            try device.unlock("1234")
            #expect(Refused { _ = try strict.signature(for: Self.message) } == .nothing)
            try device.reboot()
            #expect(Refused { _ = try usual.signature(for: Self.message) } == .status(errSecInteractionNotAllowed))
            try device.unlock("1234")
            #expect(
                Refused {
                    let key = try Key(dataRepresentation: usual.dataRepresentation)
                    _ = try key.signature(for: Self.message)
                } == .nothing)
        }
        device.close()
    }

    @Test("need an access control that allows a use")
    func useless() throws {
        let device = try VirtualDevice()
        try device.setPasscode("1234")
        try device.enroll(.rightIndex)
        try device.run {
            let control = try #require(
                SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, .biometryAny, nil))
            #expect(Refused { _ = try Key(accessControl: control) } == .status(errSecParam))
        }
    }

    @Test("are gone when the passcode that protects them is removed")
    func passcodeRemoved() throws {
        let device = try VirtualDevice()
        try device.run {
            let control = try accessControl(kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly)
            #expect(Refused { _ = try Key(accessControl: control) } == .status(errSecNotAvailable))
            try device.setPasscode("1234")
            let key = try Key(accessControl: control)
            #expect(Refused { _ = try key.signature(for: Self.message) } == .nothing)
            try device.removePasscode("1234")
            #expect(Refused { _ = try key.signature(for: Self.message) } == .status(errSecItemNotFound))
            #expect(
                Refused { _ = try Key(dataRepresentation: key.dataRepresentation) } == .status(errSecItemNotFound))
        }
    }

    @Test("of a program without the keychain are not made")
    func unsignedProgram() throws {
        let device = try VirtualDevice()
        let app = device.install("com.example.unsigned", entitlements: Entitlements())
        #expect(app.run { Refused { _ = try Key() } } == .status(errSecMissingEntitlement))
    }

    @Test("say that there is no enclave once the device is gone")
    func unavailable() throws {
        let device = try VirtualDevice()
        let app = device.defaultApp
        #expect(app.run { SecureEnclave.isAvailable })
        device.close()
        #expect(!app.run { SecureEnclave.isAvailable })
        #expect(app.run { Refused { _ = try Key() } } == .status(errSecNotAvailable))
    }
}
