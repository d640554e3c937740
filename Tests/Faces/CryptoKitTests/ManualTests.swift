import CryptoKit
import Foundation
import LatchkeyTestSupport
import LocalAuthentication
import SecurityTesting
import Testing

@Suite("The chapter about CryptoKit")
struct ManualTests {
    @Test("has examples that do what they say")
    func examples() throws {
        let device = try VirtualDevice()
        try device.setPasscode("1234")
        try device.enroll(.rightIndex)
        let challenge = Data("challenge".utf8)
        try device.run {
            let key = try SecureEnclave.P256.Signing.PrivateKey()
            let signature = try key.signature(for: challenge)
            let isValid = key.publicKey.isValidSignature(signature, for: challenge)
            #expect(isValid)

            let kept = key.dataRepresentation
            let again = try SecureEnclave.P256.Signing.PrivateKey(dataRepresentation: kept)
            #expect(again.publicKey.rawRepresentation == key.publicKey.rawRepresentation)

            let control = SecAccessControlCreateWithFlags(
                nil, kSecAttrAccessibleWhenUnlockedThisDeviceOnly, [.privateKeyUsage, .biometryCurrentSet], nil)!
            let context = LAContext()
            context.localizedReason = "Log in to the bank"
            let login = try SecureEnclave.P256.Signing.PrivateKey(
                accessControl: control, authenticationContext: context)

            var isCancelled = false
            device.script(.cancel)
            do {
                _ = try login.signature(for: challenge)
            } catch LAError.userCancel {
                // The person does not want to.
                isCancelled = true
            }
            #expect(isCancelled)
        }
        #expect(device.findings.isEmpty)
    }

    @Test("has no other lines of Swift than those that were just run")
    func lines() throws {
        let chapter = try String(contentsOf: PackageFolder.file("Docs/Manual/CryptoKit.md"), encoding: .utf8)
        let code = try String(contentsOfFile: #filePath, encoding: .utf8)
        let run = Set(code.components(separatedBy: "\n").map { $0.trimmingCharacters(in: .whitespaces) })
        let blocks = chapter.components(separatedBy: "```swift\n").dropFirst()
        #expect(blocks.count == 4)
        for block in blocks {
            for line in block.components(separatedBy: "\n```")[0].components(separatedBy: "\n") {
                let line = line.trimmingCharacters(in: .whitespaces)
                #expect(line.isEmpty || run.contains(line), "\(line)")
            }
        }
    }
}
