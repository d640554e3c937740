import Dispatch
import Foundation
import LocalAuthentication
import Security
import SecurityTesting
import Testing

@Suite("The person at a virtual device")
struct PersonTests {
    private static func device(_ backend: VirtualDevice.Backend = .embedded) throws -> VirtualDevice {
        let device = try VirtualDevice(backend: backend)
        try device.setPasscode("1234")
        try device.enroll(.rightIndex)
        return device
    }

    private static func evaluates() async -> Bool {
        (try? await LAContext().evaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, localizedReason: "open"))
            ?? false
    }

    @Test("has the fingers that were enrolled, also after a restart", arguments: VirtualDevice.Backend.allCases)
    func fingers(_ backend: VirtualDevice.Backend) throws {
        let device = try Self.device(backend)
        try device.enroll(.leftThumb)
        try device.enroll(.leftThumb)
        #expect(try device.fingers == [.rightIndex, .leftThumb])
        try device.reboot()
        try device.unlock("1234")
        try device.remove(finger: .rightIndex)
        #expect(try device.fingers == [.leftThumb])
        try device.removeAllFingers()
        #expect(try device.fingers.isEmpty)
        device.close()
    }

    @Test("needs a passcode for fingers, and a sensor", arguments: VirtualDevice.Backend.allCases)
    func enrolmentFails(_ backend: VirtualDevice.Backend) throws {
        let device = try VirtualDevice(backend: backend)
        let missing = #expect(throws: VirtualDeviceError.self) { try device.enroll(.rightIndex) }
        #expect(missing?.description.contains("setPasscode") ?? false)
        try device.setPasscode("1234")
        device.setSensor(.unplugged)
        #expect(throws: VirtualDeviceError.self) { try device.enroll(.rightIndex) }
        device.setSensor(.ready)
        try device.enroll(.rightIndex)
        device.close()
    }

    @Test("does what the script says, in its order, for every app", arguments: VirtualDevice.Backend.allCases)
    func script(_ backend: VirtualDevice.Backend) throws {
        let device = try Self.device(backend)
        let mail = device.install("com.example.mail")
        let bank = device.install("com.example.bank")
        for app in [mail, bank] { app.run { #expect(SecItemAdd(.guarded(.userPresence), nil) == errSecSuccess) } }
        device.script(.match(.rightIndex), .cancel)
        device.script([.fallback, .passcode("1234")])
        mail.run { #expect(SecItemCopyMatching(.reading(reason: "a"), nil) == errSecSuccess) }
        bank.run { #expect(SecItemCopyMatching(.reading(reason: "b"), nil) == errSecUserCanceled) }
        #expect(device.unusedAnswers == [.fallback, .passcode("1234")])
        bank.run { #expect(SecItemCopyMatching(.reading(reason: "c"), nil) == errSecSuccess) }
        #expect(device.unusedAnswers.isEmpty)
        #expect(device.unansweredPrompts.isEmpty)
        device.close()
    }

    @Test(
        "fails the test where the script has no answer, and says which call asked",
        arguments: VirtualDevice.Backend.allCases)
    func unscriptedItem(_ backend: VirtualDevice.Backend) throws {
        let device = try Self.device(backend)
        let mail = device.install("com.example.mail", team: "A1B2C3D4E5")
        mail.run { #expect(SecItemAdd(.guarded(.userPresence), nil) == errSecSuccess) }
        let line = #line + 3
        withKnownIssue {
            mail.run {
                let status = SecItemCopyMatching(.reading(reason: "read the mail"), nil)
                #expect(status == errSecAuthFailed)
            }
        } matching: { issue in
            let text = issue.comments.map(\.rawValue).joined()
            return text.contains("SecItemCopyMatching by A1B2C3D4E5.com.example.mail") && text.contains("read the mail")
                && issue.sourceLocation?.line == line
                && issue.sourceLocation?.fileName == "PersonTests.swift"
        }
        let prompt = try #require(device.unansweredPrompts.first)
        #expect(device.unansweredPrompts.count == 1)
        #expect(prompt.kind == .finger)
        #expect(prompt.call == .copyMatching)
        #expect(prompt.program == "A1B2C3D4E5.com.example.mail")
        #expect(prompt.reason == "read the mail")
        #expect(prompt.nextAnswer == nil)
        #expect(prompt.callSite?.line == line)
        device.close()
    }

    @Test("fails the test of an evaluation that answers elsewhere", arguments: VirtualDevice.Backend.allCases)
    func unscriptedEvaluation(_ backend: VirtualDevice.Backend) async throws {
        let device = try Self.device(backend)
        device.script(.passcode("1234"))
        await withKnownIssue {
            await device.run {
                let error = await #expect(throws: LAError.self) {
                    try await LAContext().evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "open it")
                }
                #expect(error?.code == .systemCancel)
            }
        } matching: { issue in
            let text = issue.comments.map(\.rawValue).joined()
            return text.contains("LAContext.evaluatePolicy") && text.contains("open it") && text.contains(".passcode")
        }
        #expect(device.unansweredPrompts.map(\.call) == [.evaluatePolicy])
        #expect(device.unansweredPrompts.map(\.nextAnswer) == [.passcode("1234")])
        #expect(device.unusedAnswers == [.passcode("1234")])
        device.forgetScript()
        #expect(device.unusedAnswers.isEmpty)
        device.close()
    }

    @Test("fails the test also while all its threads wait for the answer")
    func blockedThreads() throws {
        let device = try Self.device()
        let line = #line + 4
        withKnownIssue {
            device.run {
                let isAnswered = DispatchSemaphore(value: 0)
                LAContext().evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "open") { _, _ in
                    isAnswered.signal()
                }
                isAnswered.wait()
            }
        } matching: { issue in
            issue.comments.contains { $0.rawValue.contains("asked for a finger") }
                && issue.sourceLocation?.line == line
        }
        #expect(device.unansweredPrompts.count == 1)
    }

    @Test("fails evaluations as the test planned, without a prompt", arguments: VirtualDevice.Backend.allCases)
    func planned(_ backend: VirtualDevice.Backend) async throws {
        let device = try Self.device(backend)
        device.failNextEvaluation(with: .biometryLockout)
        device.failNextEvaluation(of: .policy, with: .appCancel)
        device.script(.match(.rightIndex))
        let codes = await device.run {
            var codes: [LAError.Code?] = []
            for _ in 0..<3 {
                do {
                    _ = try await LAContext().evaluatePolicy(
                        .deviceOwnerAuthenticationWithBiometrics, localizedReason: "open")
                    codes.append(nil)
                } catch {
                    codes.append((error as? LAError)?.code)
                }
            }
            return codes
        }
        #expect(codes == [.appCancel, .biometryLockout, nil])
        device.close()
    }

    @Test("fails evaluations of the kind that the test planned", arguments: VirtualDevice.Evaluation.allCases)
    func plannedKind(_ evaluation: VirtualDevice.Evaluation) async throws {
        let device = try Self.device()
        device.failNextEvaluation(of: evaluation, with: .biometryLockout)
        device.script(.match(.rightIndex))
        let control = try #require(
            SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlockedThisDeviceOnly, .userPresence, nil))
        let (policy, accessControl) = await device.run {
            (
                await Self.code(of: {
                    try await LAContext().evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "open")
                }),
                await Self.code(of: {
                    try await LAContext().evaluateAccessControl(control, operation: .useItem, localizedReason: "open")
                })
            )
        }
        #expect(policy == (evaluation == .policy ? .biometryLockout : nil))
        #expect(accessControl == (evaluation == .accessControl ? .biometryLockout : nil))
        #expect(device.unusedAnswers.isEmpty)
    }

    private static func code(of evaluate: () async throws -> Bool) async -> LAError.Code? {
        do {
            _ = try await evaluate()
            return nil
        } catch {
            return (error as? LAError)?.code
        }
    }

    @Test("ends a question with any code the script names", arguments: VirtualDevice.Backend.allCases)
    func codes(_ backend: VirtualDevice.Backend) throws {
        let device = try Self.device(backend)
        device.run { #expect(SecItemAdd(.guarded(.userPresence), nil) == errSecSuccess) }
        let cases: [(LAError.Code, OSStatus)] = [
            (.userCancel, errSecUserCanceled), (.notInteractive, errSecInteractionNotAllowed),
            (.biometryLockout, errSecAuthFailed), (.appCancel, errSecAuthFailed),
        ]
        for (code, status) in cases {
            device.script(.fail(code))
            device.run { #expect(SecItemCopyMatching(.reading(reason: "a"), nil) == status) }
        }
        #expect(device.unusedAnswers.isEmpty)
        device.close()
    }

    @Test("answers two apps that ask at the same time, one after the other", arguments: VirtualDevice.Backend.allCases)
    func twoAtOnce(_ backend: VirtualDevice.Backend) async throws {
        let device = try Self.device(backend)
        device.script(.match(.rightIndex), .match(.rightIndex))
        let apps = [device.install("com.example.one"), device.install("com.example.two")]
        let answers = await withTaskGroup(of: Bool.self) { group in
            for app in apps {
                group.addTask { await app.run { await Self.evaluates() } }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers == [true, true])
        #expect(device.unusedAnswers.isEmpty)
        device.close()
    }
}

extension CFDictionary {
    static func guarded(
        _ flags: SecAccessControlCreateFlags, _ protection: CFString = kSecAttrAccessibleWhenUnlockedThisDeviceOnly
    ) -> CFDictionary {
        [
            kSecClass: kSecClassGenericPassword, kSecAttrAccount: "guarded", kSecValueData: Data("d".utf8),
            kSecAttrAccessControl: SecAccessControlCreateWithFlags(nil, protection, flags, nil) as Any,
        ] as NSDictionary
    }

    static func reading(reason: String) -> CFDictionary {
        let context = LAContext()
        context.localizedReason = reason
        return [
            kSecClass: kSecClassGenericPassword, kSecAttrAccount: "guarded", kSecUseAuthenticationContext: context,
        ] as NSDictionary
    }
}
