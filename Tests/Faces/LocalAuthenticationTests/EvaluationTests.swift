import Dispatch
import Foundation
import LatchkeyAccessControl
import LatchkeyKeychainMessages
import LocalAuthentication
import Testing

@Suite("Evaluating a policy")
struct EvaluationTests {
    private let replies = Replies()

    @Test(
        "each policy is put by its number, and a success is told",
        arguments: [
            (LAPolicy.deviceOwnerAuthenticationWithBiometrics, 1), (.deviceOwnerAuthentication, 2),
            (.deviceOwnerAuthenticationWithCompanion, 3), (.deviceOwnerAuthenticationWithBiometricsOrCompanion, 4),
            (.deviceOwnerAuthenticationWithWristDetection, 5),
        ] as [(LAPolicy, UInt8)])
    func success(policy: LAPolicy, number: UInt8) async throws {
        let keychain = ScriptedKeychain()
        let expected = try #require(AuthenticationPolicy(rawValue: number))
        let context = keychain.whileCurrent { LAContext() }
        #expect(context.canEvaluatePolicy(policy, error: nil))
        context.evaluatePolicy(policy, localizedReason: "to test", reply: replies.closure)
        let outcome = await replies.next()
        #expect(outcome.isFulfilled)
        #expect(outcome.error == nil)
        #expect(keychain.asked == [.check(expected), .evaluate(expected, Interaction(reason: "to test"))])
        #expect(keychain.openedCount == 1, "both over one session")
    }

    @Test("each failure is told with its code and its words", arguments: AuthenticationError.allCases)
    func failure(error: AuthenticationError) async throws {
        let keychain = ScriptedKeychain(answering: .failed(error, .forTests))
        let context = keychain.whileCurrent { LAContext() }
        var checked: NSError?
        #expect(!context.canEvaluatePolicy(.deviceOwnerAuthentication, error: &checked))
        context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "to test", reply: replies.closure)
        let outcome = await replies.next()
        #expect(!outcome.isFulfilled)
        for failure in [checked as (any Error)?, outcome.error] {
            let failure = try #require(failure as? LAError)
            #expect(failure.code.rawValue == Int(error.rawValue))
            #expect(failure.localizedDescription == "What happened.")
            #expect((failure as NSError).domain == LAErrorDomain)
            #expect((failure as NSError).localizedRecoverySuggestion == "What to do.")
        }
        #expect(replies.all.count == 1)
    }

    @Test("the reply comes on another thread than the caller's")
    func thread() {
        let keychain = ScriptedKeychain()
        let context = keychain.whileCurrent { LAContext() }
        let caller = pthread_self()
        let done = DispatchSemaphore(value: 0)
        for reason in ["to test", ""] {
            context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: reason) { _, _ in
                #expect(pthread_equal(pthread_self(), caller) == 0)
                done.signal()
            }
            done.wait()
        }
        context.invalidate()
        context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "to test") { _, _ in
            #expect(pthread_equal(pthread_self(), caller) == 0)
            done.signal()
        }
        done.wait()
    }

    @Test("the caller does not wait for the person")
    func doesNotBlock() async {
        let keychain = ScriptedKeychain(.init(waits: true))
        let context = keychain.whileCurrent { LAContext() }
        context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "to test", reply: replies.closure)
        await keychain.event(.waits)
        #expect(replies.all.isEmpty)
        keychain.answer(.done(domainState: nil))
        #expect(await replies.next().isFulfilled)
    }

    @Test("without a reason the user is not asked")
    func noReason() async {
        let keychain = ScriptedKeychain()
        let context = keychain.whileCurrent { LAContext() }
        context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "", reply: replies.closure)
        let outcome = await replies.next()
        #expect(outcome.code == .authenticationFailed)
        #expect(outcome.error?.localizedDescription.contains("localizedReason") == true)
        #expect(keychain.asked.isEmpty)
    }

    @Test("the form with await returns and throws")
    func asynchronous() async throws {
        let keychain = ScriptedKeychain()
        let context = keychain.whileCurrent { LAContext() }
        #expect(try await context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "to test"))
        keychain.says(.failed(.userFallback, .forTests))
        await #expect(throws: LAError.self) {
            try await context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "to test")
        }
        do {
            _ = try await context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "to test")
            Issue.record("no error")
        } catch LAError.userFallback {
        }
    }

    @Test("cancelling the task does not end an evaluation")
    func cancelledTask() async throws {
        let keychain = ScriptedKeychain(.init(waits: true))
        let task = keychain.whileCurrent {
            Task {
                try await LAContext().evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "to test")
            }
        }
        await keychain.event(.waits)
        task.cancel()
        keychain.answer(.done(domainState: nil))
        #expect(try await task.value)
    }

    @Test("evaluations of one context come one after the other")
    func order() async {
        let keychain = ScriptedKeychain(.init(waits: true))
        let context = keychain.whileCurrent { LAContext() }
        let second = Replies()
        context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "first", reply: replies.closure)
        context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "second", reply: second.closure)
        await keychain.event(.waits)
        #expect(keychain.asked.compactMap(\.interaction?.reason) == ["first"])
        keychain.answer(.failed(.userCancel, .forTests))
        #expect(await replies.next().code == .userCancel)
        await keychain.event(.waits)
        keychain.answer(.done(domainState: nil))
        #expect(await second.next().isFulfilled)
        #expect(keychain.asked.compactMap(\.interaction?.reason) == ["first", "second"])
    }

    @Test("a call without a prompt does not wait for a person who is asked")
    func checkMeanwhile() async {
        let keychain = ScriptedKeychain(.init(waits: true))
        let context = keychain.whileCurrent { LAContext() }
        context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "to test", reply: replies.closure)
        await keychain.event(.waits)
        #expect(context.canEvaluatePolicy(.deviceOwnerAuthentication, error: nil))
        #expect(context.biometryType == .none)
        #expect(context.setCredential(Data([1]), type: .applicationPassword))
        #expect(replies.all.isEmpty)
        #expect(keychain.openedCount == 3)
        #expect(keychain.endedCount == 2, "only the session of the context is left")
        keychain.answer(.done(domainState: nil))
        #expect(await replies.next().isFulfilled)
    }
}
