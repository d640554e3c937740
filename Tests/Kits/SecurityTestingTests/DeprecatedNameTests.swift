import Foundation
import LocalAuthentication
import Security
import SecurityTesting
import Testing

@Suite("The names of the version before")
struct DeprecatedNameTests {
    @available(*, deprecated)
    @Test("install apps", arguments: Backend.allCases)
    func apps(_ backend: Backend) throws {
        let device = try VirtualDevice(backend: backend)
        let mail: App = device.app(
            "com.example.mail", team: "A1B2C3D4E5", groups: ["A1B2C3D4E5.shared"], applicationGroups: ["group.mail"])
        let groups = ["A1B2C3D4E5.shared", "A1B2C3D4E5.com.example.mail", "group.mail"]
        #expect(mail.accessGroups == groups)
        let tool = device.app("tool", entitlements: Entitlements())
        #expect(tool.run { SecItemAdd(.item, nil) } == errSecMissingEntitlement)
        device.close()
    }

    @available(*, deprecated)
    @Test("fail evaluations by number")
    func evaluations() async throws {
        let device = try VirtualDevice()
        try device.setPasscode("1234")
        device.failNextEvaluation(with: LAError.Code.biometryLockout.rawValue)
        device.failNextEvaluation(with: 5)
        device.failNext(.evaluatePolicy, with: Int32(LAError.Code.notInteractive.rawValue))
        device.script(.fail(LAError.Code.appCancel.rawValue), .fail(5))
        let codes = await device.run {
            var codes: [LAError.Code?] = []
            for _ in 0..<5 {
                do {
                    _ = try await LAContext().evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "open")
                    codes.append(nil)
                } catch {
                    codes.append((error as? LAError)?.code)
                }
            }
            return codes
        }
        #expect(codes == [.notInteractive, .biometryLockout, .authenticationFailed, .appCancel, .authenticationFailed])
        #expect(device.unusedAnswers.isEmpty)
    }

    @available(*, deprecated)
    @Test("count seconds, and items by four letters")
    func status() throws {
        let device = try VirtualDevice()
        device.run { #expect(SecItemAdd(.item, nil) == errSecSuccess) }
        try device.setPasscode("1234")
        try device.setLocksAfter(.seconds(60))
        try device.advance(by: .seconds(61))
        #expect(try device.status.lockState == .locked)
        for number in 0..<5 { #expect(throws: VirtualDeviceError.self) { try device.unlock("no \(number)") } }
        let status = try device.status
        #expect(status.secondsUntilNextAttempt == 60)
        #expect(status.itemCounts["genp"] == 1)
        #expect(status.itemCounts["inet"] == 0)
        #expect(status.itemCounts["idnt"] == nil)
    }

    @available(*, deprecated)
    @Test("name findings")
    func findings() throws {
        let device = try VirtualDevice()
        device.run { #expect(SecItemAdd(.item, nil) == errSecSuccess) }
        #expect(device.findings.map(\.app) == ["LATCHKEY00.com.example.app"])
        #expect(Finding.Kind.textHmacKey == .textHMACKey)
        #expect(Finding.Call.code == .messageAuthentication)
    }
}
