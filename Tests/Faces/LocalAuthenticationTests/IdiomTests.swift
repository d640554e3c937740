import LatchkeyKeychainMessages
import LocalAuthentication
import Testing

// Code as it is written for Apple platforms, in Swift 6: that it compiles is half of each test. All it needs of
// Foundation and Security comes with LocalAuthentication.

/// A view model that owns its context on the main actor.
@MainActor
private final class Door {
    private let context = LAContext()
    private(set) var isOpen = false
    private(set) var message: String?

    func unlock() async {
        var error: NSError?
        guard context.canEvaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, error: &error) else {
            if let error = error as? LAError, error.code == .biometryNotEnrolled { message = "enrol a finger" }
            return
        }
        do {
            isOpen = try await context.evaluatePolicy(
                .deviceOwnerAuthenticationWithBiometrics, localizedReason: "Unlock the door")
        } catch LAError.userCancel {
            message = "cancelled"
        } catch let error as LAError where error.code == .authenticationFailed {
            message = "failed"
        } catch {
            message = "other"
        }
    }

    func unlockWithCallback() async {
        await withCheckedContinuation { continuation in
            context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "Unlock the door") { success, error in
                Task { @MainActor in
                    self.isOpen = success
                    self.message = (error as? LAError).map { $0.code == .userFallback ? "fallback" : "other" }
                    continuation.resume()
                }
            }
        }
    }
}

/// A context as tests of apps replace it.
private class MockContext: LAContext {
    var isEvaluable = true
    var outcome: (Bool, (any Error)?) = (true, nil)

    override func canEvaluatePolicy(_ policy: LAPolicy, error: NSErrorPointer) -> Bool {
        if !isEvaluable { error?.pointee = LAError(.biometryNotAvailable) as NSError }
        return isEvaluable
    }

    override func evaluatePolicy(
        _ policy: LAPolicy, localizedReason: String, reply: @escaping (Bool, (any Error)?) -> Void
    ) {
        reply(outcome.0, outcome.1)
    }

    override var biometryType: LABiometryType { .faceID }
}

private final class AsyncMockContext: LAContext {
    private let error: LAError?

    init(error: LAError?) {
        self.error = error
        super.init()
    }

    override func evaluatePolicy(_ policy: LAPolicy, localizedReason: String) async throws -> Bool {
        if let error { throw error }
        return true
    }
}

@Suite("Code written for LocalAuthentication")
struct IdiomTests {
    @Test(
        "an app on the main actor understands each ending",
        arguments: [
            (nil, nil), (AuthenticationError.userCancel, "cancelled"), (.authenticationFailed, "failed"),
            (.systemCancel, "other"),
        ] as [(AuthenticationError?, String?)])
    @MainActor
    func door(error: AuthenticationError?, message: String?) async {
        let keychain = ScriptedKeychain(.init(waits: true))
        await keychain.whileCurrent {
            let door = Door()
            keychain.answer(error.map { .failed($0, .forTests) } ?? .done(domainState: nil))
            await door.unlock()
            #expect(door.isOpen == (error == nil))
            #expect(door.message == message)
            keychain.answer(.failed(.userFallback, .forTests))
            await door.unlockWithCallback()
            #expect(!door.isOpen)
            #expect(door.message == "fallback")
        }
    }

    @Test("an app that may not ask knows why")
    @MainActor
    func closedDoor() async {
        let keychain = ScriptedKeychain(answering: .failed(.biometryNotEnrolled, .forTests))
        await keychain.whileCurrent {
            let door = Door()
            await door.unlock()
            #expect(!door.isOpen)
            #expect(door.message == "enrol a finger")
        }
    }

    @Test("a switch over the codes is complete with the fifteen")
    func switching() {
        func text(_ error: any Error) -> String {
            guard let error = error as? LAError else { return "no" }
            return switch error.code {
            case .authenticationFailed, .userCancel, .userFallback, .systemCancel: "person"
            case .passcodeNotSet, .biometryNotAvailable, .biometryNotEnrolled, .biometryLockout: "device"
            case .appCancel, .invalidContext, .notInteractive, .invalidDimensions: "program"
            case .companionNotAvailable, .biometryNotPaired, .biometryDisconnected: "accessory"
            @unknown default: "unknown"
            }
        }
        #expect(text(LAError(.userFallback)) == "person")
        #expect(text(NSError(domain: LAErrorDomain, code: LAError.biometryLockout.rawValue)) == "device")
        #expect(text(CancellationError()) == "no")
        switch Int32((LAError(.userCancel) as NSError).code) {
        case kLAErrorUserCancel: break
        default: Issue.record("no case")
        }
    }

    @Test("a mock of the callback form answers the form with await too")
    func mock() async throws {
        let mock = MockContext()
        #expect(mock.canEvaluatePolicy(.deviceOwnerAuthentication, error: nil))
        #expect(try await mock.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "r"))
        mock.outcome = (false, LAError(.userCancel))
        await #expect(throws: LAError(.userCancel)) {
            try await mock.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "r")
        }
        mock.isEvaluable = false
        var error: NSError?
        #expect(!mock.canEvaluatePolicy(.deviceOwnerAuthentication, error: &error))
        #expect((error as? LAError)?.code == .biometryNotAvailable)
        #expect(mock.biometryType == .faceID)
    }

    @Test("a mock of the form with await answers it")
    func asyncMock() async throws {
        #expect(try await AsyncMockContext(error: nil).evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "r"))
        await #expect(throws: LAError(.biometryLockout)) {
            try await AsyncMockContext(error: LAError(.biometryLockout))
                .evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "r")
        }
    }

    @Test("an item is read with a context, as Apple's sample does")
    func item() {
        let keychain = ScriptedKeychain()
        keychain.whileCurrent {
            let context = LAContext()
            context.localizedReason = "Access your password on the keychain"
            let query: [String: Any] = [
                kSecClass as String: kSecClassInternetPassword, kSecAttrServer as String: "example.com",
                kSecMatchLimit as String: kSecMatchLimitOne, kSecReturnAttributes as String: true,
                kSecUseAuthenticationContext as String: context, kSecReturnData as String: true,
            ]
            var item: CFTypeRef?
            #expect(SecItemCopyMatching(query as CFDictionary, &item) == errSecSuccess)
            #expect((query[kSecUseAuthenticationContext as String] as? LAContext) === context)
        }
        #expect(keychain.asked.last?.interaction?.reason == "Access your password on the keychain")
    }
}
