import Foundation
import LatchkeyKeychainMessages
import LocalAuthentication
import Testing

@Suite("LAError")
struct ErrorTests {
    private static let codes: [(LAError.Code, Int)] = [
        (.authenticationFailed, -1), (.userCancel, -2), (.userFallback, -3), (.systemCancel, -4),
        (.passcodeNotSet, -5), (.biometryNotAvailable, -6), (.biometryNotEnrolled, -7), (.biometryLockout, -8),
        (.appCancel, -9), (.invalidContext, -10), (.companionNotAvailable, -11), (.biometryNotPaired, -12),
        (.biometryDisconnected, -13), (.invalidDimensions, -14), (.notInteractive, -1004),
    ]

    @Test("each code has Apple's number and makes an error of the domain", arguments: codes)
    func numbers(code: LAError.Code, number: Int) throws {
        let error = LAError(code, userInfo: [NSLocalizedDescriptionKey: "What happened."])
        #expect(code.rawValue == number)
        #expect(error.code == code)
        #expect(error.errorCode == number)
        #expect(error.localizedDescription == "What happened.")
        #expect(error.errorUserInfo[NSLocalizedDescriptionKey] as? String == "What happened.")
        #expect(LAError.errorDomain == "com.apple.LocalAuthentication")
        let old = error as NSError
        #expect(old.domain == LAErrorDomain)
        #expect(old.code == number)
        #expect(LAError(code) == LAError(code))
        #expect(LAError(code) != LAError(code == .userCancel ? .userFallback : .userCancel))
    }

    @Test("what is refused prints its reason")
    func printing() throws {
        let keychain = ScriptedKeychain()
        keychain.says(.failed(.biometryLockout, Refusal(ruleName: "r", reason: "Too many misses.", advice: "Type.")))
        var error: NSError?
        keychain.whileCurrent {
            #expect(!LAContext().canEvaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, error: &error))
        }
        let refused = try #require(error)
        #expect(refused.localizedFailureReason == "Too many misses.")
        #expect(refused.localizedDescription == "Too many misses.")
        for text in ["\(refused)", refused.debugDescription, "\(refused as any Error)"] {
            #expect(text.contains("Too many misses.") && !text.contains("(null)"), "\(text)")
        }
    }

    @Test("an NSError of the domain is one, however it is looked at", arguments: codes)
    func casts(code: LAError.Code, number: Int) {
        let old = NSError(domain: LAErrorDomain, code: number)
        #expect((old as? LAError)?.code == code)
        #expect(((old as any Error) as? LAError)?.code == code)
        let optional: NSError? = old
        #expect((optional as? LAError)?.code == code)
        do {
            throw old
        } catch let error as LAError where error.code == code {
        } catch {
            Issue.record("not caught")
        }
    }

    @Test("an NSError of another domain or with an unknown code is not an LAError")
    func noCasts() {
        #expect(NSError(domain: NSCocoaErrorDomain, code: -2) as? LAError == nil)
        #expect(NSError(domain: LAErrorDomain, code: 0) as? LAError == nil)
        #expect(NSError(domain: LAErrorDomain, code: -999) as? LAError == nil)
        #expect((CocoaError(.fileNoSuchFile) as any Error) as? LAError == nil)
    }

    @Test("the numbers of C are the same")
    func constants() {
        #expect(LAError.userFallback.rawValue == Int(kLAErrorUserFallback))
        #expect(LAError.notInteractive.rawValue == Int(kLAErrorNotInteractive))
        #expect(LAPolicy.deviceOwnerAuthentication.rawValue == Int(kLAPolicyDeviceOwnerAuthentication))
        #expect(
            LAAccessControlOperation.useKeyKeyExchange.rawValue == Int(kLAAccessControlOperationUseKeyKeyExchange))
        #expect(LABiometryType(rawValue: 4) == .opticID)
        #expect(LACredentialType.smartCardPIN.rawValue == -3)
        #expect(kLAErrorDomain == LAErrorDomain)
    }

    @Test("the older names mean the same")
    @available(*, deprecated)
    func olderNames() {
        #expect(LAError.touchIDNotAvailable == .biometryNotAvailable)
        #expect(LAError.touchIDNotEnrolled == .biometryNotEnrolled)
        #expect(LAError.Code.touchIDLockout == .biometryLockout)
        #expect(LAError.watchNotAvailable == .companionNotAvailable)
        #expect(LAPolicy.deviceOwnerAuthenticationWithWatch == .deviceOwnerAuthenticationWithCompanion)
    }
}
