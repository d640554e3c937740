import CryptoKit
import Foundation
import LocalAuthentication
import SecurityTesting
import Testing

@Suite("Keys of SecureEnclave that ask a person")
struct EnclavePromptTests {
    private typealias Key = SecureEnclave.P256.Signing.PrivateKey
    private static let message = Data("challenge".utf8)

    private static func phone(_ backend: VirtualDevice.Backend = .embedded) throws -> VirtualDevice {
        let device = try VirtualDevice(backend: backend)
        try device.setPasscode("1234")
        try device.enroll(.rightIndex)
        return device
    }

    private static func key(
        _ flags: SecAccessControlCreateFlags, _ context: LAContext? = nil
    ) throws -> Key {
        try Key(
            accessControl: accessControl(kSecAttrAccessibleWhenUnlockedThisDeviceOnly, flags),
            authenticationContext: context)
    }

    @Test("throw what the person did as an LAError", arguments: VirtualDevice.Backend.allCases)
    func answers(_ backend: VirtualDevice.Backend) throws {
        let device = try Self.phone(backend)
        try device.run {
            let key = try Self.key(.biometryAny)
            device.script(.match(.rightIndex))
            #expect(Refused { _ = try key.signature(for: Self.message) } == .nothing)
            device.script(.cancel)
            #expect(Refused { _ = try key.signature(for: Self.message) } == .authentication(.userCancel))
            device.script(.fallback)
            #expect(Refused { _ = try key.signature(for: Self.message) } == .authentication(.userFallback))
            device.script(.mismatch, .mismatch, .mismatch)
            #expect(Refused { _ = try key.signature(for: Self.message) } == .authentication(.authenticationFailed))
            device.script(.systemCancel)
            #expect(Refused { _ = try key.signature(for: Self.message) } == .authentication(.systemCancel))
            // Two more misses lock biometry out.
            device.script(.mismatch, .mismatch)
            #expect(Refused { _ = try key.signature(for: Self.message) } == .authentication(.biometryLockout))
        }
        #expect(device.unusedAnswers.isEmpty)
        device.close()
    }

    @Test("say why, what to do, and which rule it was")
    func words() throws {
        let device = try Self.phone()
        try device.run {
            let key = try Self.key(.biometryAny)
            device.script(.cancel)
            do {
                _ = try key.signature(for: Self.message)
                Issue.record("a cancelled signature was made")
            } catch let error as LAError {
                #expect(error.localizedDescription == "The user cancelled.")
                #expect(error.errorUserInfo["NSDebugDescription"] as? String == "user-cancelled")
            }
        }
    }

    @Test(
        "show no prompt where the context forbids it, and take over what it has",
        arguments: VirtualDevice.Backend.allCases)
    func contexts(_ backend: VirtualDevice.Backend) throws {
        let device = try Self.phone(backend)
        try device.run {
            let made = try Self.key(.biometryAny)
            let context = LAContext()
            context.interactionNotAllowed = true
            let key = try Key(dataRepresentation: made.dataRepresentation, authenticationContext: context)
            #expect(Refused { _ = try key.signature(for: Self.message) } == .authentication(.notInteractive))
            // As the context is at the moment of the use.
            context.interactionNotAllowed = false
            device.script(.match(.rightIndex))
            #expect(Refused { _ = try key.signature(for: Self.message) } == .nothing)
            // The proof stays with the context.
            #expect(Refused { _ = try key.signature(for: Self.message) } == .nothing)
            context.invalidate()
            #expect(Refused { _ = try key.signature(for: Self.message) } == .authentication(.invalidContext))
        }
        #expect(device.unusedAnswers.isEmpty)
        device.close()
    }

    @Test("are lost for good when the fingers change that they are for")
    func fingers() throws {
        let device = try Self.phone()
        try device.run {
            let key = try Self.key(.biometryCurrentSet)
            device.script(.match(.rightIndex))
            #expect(Refused { _ = try key.signature(for: Self.message) } == .nothing)
            try device.enroll(.leftThumb)
            #expect(Refused { _ = try key.signature(for: Self.message) } == .status(errSecItemNotFound))
            // Restored it is not either.
            let error = #expect(throws: NSError.self) { try Key(dataRepresentation: key.dataRepresentation) }
            #expect(error?.code == Int(errSecItemNotFound))
            #expect(error?.userInfo["NSDebugDescription"] as? String == "enclave-key-invalidated")
        }
        #expect(device.unusedAnswers.isEmpty)
    }

    @Test("with an application password take it from the context or ask for it")
    func applicationPassword() throws {
        let device = try Self.phone()
        try device.run {
            let context = LAContext()
            #expect(context.setCredential(Data("swordfish".utf8), type: .applicationPassword))
            let key = try Self.key(.applicationPassword, context)
            #expect(Refused { _ = try key.signature(for: Self.message) } == .nothing)
            let wrong = LAContext()
            #expect(wrong.setCredential(Data("mackerel".utf8), type: .applicationPassword))
            let restored = try Key(dataRepresentation: key.dataRepresentation, authenticationContext: wrong)
            #expect(
                Refused { _ = try restored.signature(for: Self.message) } == .authentication(.authenticationFailed))
            // A compact key is made in one go: the password is asked for once.
            device.script(.applicationPassword("swordfish"))
            let asked = try Self.key(.applicationPassword)
            #expect(asked.publicKey.compactRepresentation != nil)
            device.script(.applicationPassword("swordfish"))
            #expect(Refused { _ = try asked.signature(for: Self.message) } == .nothing)
        }
        #expect(device.unusedAnswers.isEmpty)
    }

    @Test("under biometry are not made while no finger is enrolled")
    func nobodyEnrolled() throws {
        let device = try VirtualDevice()
        try device.run {
            #expect(Refused { _ = try Self.key(.biometryAny) } == .authentication(.passcodeNotSet))
            try device.setPasscode("1234")
            #expect(Refused { _ = try Self.key(.biometryAny) } == .authentication(.biometryNotEnrolled))
        }
    }
}
