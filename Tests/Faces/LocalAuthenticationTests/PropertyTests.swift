import Foundation
import LatchkeyAccessControl
import LatchkeyEnclaveContract
import LatchkeyKeychainMessages
import LocalAuthentication
import Synchronization
import Testing

@Suite("The properties of a context")
struct PropertyTests {
    /// Returns the settings for prompts that a new context, changed by `change`, gives the keychain.
    private func interaction(_ change: (LAContext) -> Void) throws -> Interaction {
        let keychain = ScriptedKeychain()
        return try keychain.whileCurrent {
            let context = LAContext()
            change(context)
            SecItemDelete([kSecUseAuthenticationContext: context] as CFDictionary)
            return try #require(keychain.asked.last?.interaction)
        }
    }

    @Test("a new context asks in the usual words, and counts no earlier unlock")
    func defaults() throws {
        let context = LAContext()
        #expect(context.localizedReason == "")
        #expect(context.localizedFallbackTitle == nil)
        #expect(context.localizedCancelTitle == nil)
        #expect(!context.interactionNotAllowed)
        #expect(context.touchIDAuthenticationAllowableReuseDuration == 0)
        #expect(context.evaluatedPolicyDomainState == nil)
        #expect(!context.isCredentialSet(.applicationPassword))
        #expect(!context.isCredentialSet(.smartCardPIN))
        #expect(try interaction { _ in } == Interaction())
    }

    @Test("titles and reason are passed on; an empty title of cancel is ignored, the other one removes its button")
    func words() throws {
        let full = try interaction {
            $0.localizedReason = "to read"
            $0.localizedCancelTitle = "Not now"
            $0.localizedFallbackTitle = "Other way"
        }
        #expect(full == Interaction(reason: "to read", cancelTitle: "Not now", fallbackTitle: "Other way"))
        let empty = try interaction {
            $0.localizedCancelTitle = ""
            $0.localizedFallbackTitle = ""
        }
        #expect(empty == Interaction(fallbackTitle: ""))
    }

    @Test("the reason of an evaluation goes before that of the context")
    func reasons() async throws {
        let keychain = ScriptedKeychain()
        let context = keychain.whileCurrent { LAContext() }
        context.localizedReason = "to read"
        context.localizedCancelTitle = "Not now"
        _ = try await context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "to test")
        #expect(
            keychain.asked == [.evaluate(.deviceOwner, Interaction(reason: "to test", cancelTitle: "Not now"))])
    }

    @Test(
        "an earlier unlock counts for 300 seconds at most",
        arguments: [
            (0, 0), (-1, 0), (0.5, 0.5), (10, 10), (300, 300), (300.1, 300), (1e9, 300), (.infinity, 300),
            (-.infinity, 0), (.nan, 0),
        ] as [(TimeInterval, Double)])
    func reuse(set: TimeInterval, told: Double) throws {
        #expect(LATouchIDAuthenticationMaximumAllowableReuseDuration == 300)
        let interaction = try interaction {
            $0.touchIDAuthenticationAllowableReuseDuration = set
            let got = $0.touchIDAuthenticationAllowableReuseDuration
            #expect(got == set || (got.isNaN && set.isNaN))
        }
        #expect(interaction.reuseSeconds == told)
    }

    @Test("what a subclass says of itself counts")
    func subclass() throws {
        final class Quiet: LAContext {
            override var interactionNotAllowed: Bool {
                get { true }
                set {}
            }
        }
        let keychain = ScriptedKeychain()
        keychain.whileCurrent {
            let context = Quiet()
            context.interactionNotAllowed = false
            SecItemDelete([kSecUseAuthenticationContext: context] as CFDictionary)
        }
        #expect(try #require(keychain.asked.last?.interaction).isAllowed == false)
    }

    @Test("the state of the enrolment is known after biometry was usable or used, and stays")
    func domainState() async throws {
        let keychain = ScriptedKeychain(answering: .failed(.biometryNotEnrolled, .forTests))
        let context = keychain.whileCurrent { LAContext() }
        #expect(!context.canEvaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, error: nil))
        #expect(context.evaluatedPolicyDomainState == nil)
        keychain.says(.done(domainState: nil))
        #expect(context.canEvaluatePolicy(.deviceOwnerAuthentication, error: nil))
        #expect(context.evaluatedPolicyDomainState == nil)
        keychain.says(.done(domainState: [1, 2]))
        #expect(context.canEvaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, error: nil))
        #expect(context.evaluatedPolicyDomainState == Data([1, 2]))
        keychain.says(.done(domainState: [3]))
        _ = try await context.evaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, localizedReason: "to test")
        #expect(context.evaluatedPolicyDomainState == Data([3]))
        keychain.says(.failed(.authenticationFailed, .forTests))
        _ = try? await context.evaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, localizedReason: "to test")
        #expect(context.evaluatedPolicyDomainState == Data([3]))
    }

    @Test(
        "a reader is a reader also while it cannot be used",
        arguments: [(nil, .touchID), (SensorObstacle.none, .none), (.noService, .none)]
            as [(SensorObstacle?, LABiometryType)]
            + SensorObstacle.allCases.filter { !$0.isAbsence }.map { ($0, .touchID) })
    func biometry(obstacle: SensorObstacle?, type: LABiometryType) {
        let keychain = ScriptedKeychain()
        let set = EnrolmentSet([UInt8](repeating: 7, count: EnrolmentSet.byteCount))
        keychain.script.withLock {
            $0.biometry.survey.obstacle = obstacle
            $0.biometry.enrolmentSet = set
        }
        let context = keychain.whileCurrent { LAContext() }
        #expect(context.biometryType == type)
        #expect(context.domainState.biometry.biometryType == type)
        #expect(context.domainState.biometry.stateHash == set.map { Data($0.bytes) })
        #expect(context.domainState.stateHash == set.map { Data($0.bytes) })
    }

    @Test("an application password is given and taken back")
    func credential() {
        let keychain = ScriptedKeychain()
        let context = keychain.whileCurrent { LAContext() }
        #expect(context.setCredential(Data("secret".utf8), type: .applicationPassword))
        #expect(context.isCredentialSet(.applicationPassword))
        #expect(context.setCredential(nil, type: .applicationPassword))
        #expect(!context.isCredentialSet(.applicationPassword))
        #expect(context.setCredential(Data(), type: .applicationPassword))
        #expect(context.isCredentialSet(.applicationPassword))
        #expect(!context.setCredential(Data([1]), type: .smartCardPIN))
        #expect(!context.isCredentialSet(.smartCardPIN))
        #expect(
            keychain.asked
                == [.applicationPassword([UInt8]("secret".utf8)), .applicationPassword(nil), .applicationPassword([])])
    }

    @Test("the passcode goes to the device by its number, which Apple's SDK has no name for")
    func passcode() throws {
        let keychain = ScriptedKeychain()
        let context = keychain.whileCurrent { LAContext() }
        let type = try #require(LACredentialType(rawValue: -1))
        #expect(context.setCredential(Data("2468".utf8), type: type))
        #expect(context.isCredentialSet(type))
        #expect(!context.isCredentialSet(.applicationPassword))
        #expect(keychain.asked == [.passcode])
    }

    @Test("a credential that is refused is not set")
    func refusedCredential() {
        let keychain = ScriptedKeychain(answering: .failed(.authenticationFailed, .forTests))
        let context = keychain.whileCurrent { LAContext() }
        #expect(!context.setCredential(Data([1]), type: .applicationPassword))
        #expect(!context.isCredentialSet(.applicationPassword))
    }

    @Test("a credential that is given during an evaluation comes before the next question")
    func credentialMeanwhile() async {
        let keychain = ScriptedKeychain(.init(waits: true))
        let replies = Replies()
        let context = keychain.whileCurrent { LAContext() }
        context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "to test", reply: replies.closure)
        await keychain.event(.waits)
        #expect(context.setCredential(Data([1]), type: .applicationPassword))
        keychain.answer(.done(domainState: nil))
        SecItemDelete([kSecUseAuthenticationContext: context] as CFDictionary)
        #expect(await replies.next().isFulfilled)
        #expect(
            keychain.asked.dropFirst() == [.applicationPassword([1]), .item(.delete, session: 1, Interaction())])
    }
}
