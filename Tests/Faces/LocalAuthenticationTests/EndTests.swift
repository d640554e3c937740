import Foundation
import LatchkeyKeychainMessages
import LocalAuthentication
import Testing

@Suite("The end of a context")
struct EndTests {
    private let replies = Replies()

    @Test("invalidate ends what is under way and what waits, each with one reply")
    func invalidate() async {
        let keychain = ScriptedKeychain(.init(waits: true))
        let context = keychain.whileCurrent { LAContext() }
        let second = Replies()
        context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "first", reply: replies.closure)
        context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "second", reply: second.closure)
        await keychain.event(.waits)
        context.invalidate()
        #expect(await replies.next().code == .appCancel)
        #expect(await second.next().code == .appCancel)
        #expect(keychain.endedCount == 1)
        #expect(keychain.asked.count == 1, "the second was never put")
    }

    @Test("an answer after invalidate is not heard, and nothing is left behind")
    func lateAnswer() async {
        let keychain = ScriptedKeychain(.init(waits: true, isDeaf: true))
        let gone = AsyncStream.makeStream(of: Void.self)
        do {
            let context = keychain.whileCurrent { MortalContext { gone.continuation.finish() } }
            context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "to test", reply: replies.closure)
            await keychain.event(.waits)
            context.invalidate()
            #expect(await replies.next().code == .appCancel, "at once, although the session says nothing")
            keychain.answer(.done(domainState: nil))
        }
        for await _ in gone.stream {}
        #expect(replies.all.count == 1)
    }

    @Test("a context that was invalidated is good for nothing more")
    func afterwards() async {
        let keychain = ScriptedKeychain(answering: .done(domainState: [1]))
        let context = keychain.whileCurrent { LAContext() }
        #expect(context.setCredential(Data([1]), type: .applicationPassword))
        context.invalidate()
        context.invalidate()
        let asked = keychain.asked
        var error: NSError?
        #expect(!context.canEvaluatePolicy(.deviceOwnerAuthentication, error: &error))
        #expect(error?.code == LAError.invalidContext.rawValue)
        context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "to test", reply: replies.closure)
        #expect(await replies.next().code == .invalidContext)
        await #expect(throws: LAError.self) {
            try await context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "to test")
        }
        #expect(!context.setCredential(Data([1]), type: .applicationPassword))
        #expect(!context.isCredentialSet(.applicationPassword))
        #expect(context.biometryType == .none)
        #expect(keychain.asked == asked)
        #expect(keychain.openedCount == 1)
    }

    @Test("a context that was never used may be invalidated too")
    func unused() async {
        let keychain = ScriptedKeychain()
        let context = keychain.whileCurrent { LAContext() }
        context.invalidate()
        context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "to test", reply: replies.closure)
        #expect(await replies.next().code == .invalidContext)
        #expect(keychain.openedCount == 0)
    }

    @Test("an evaluation keeps its context, which the program does not need to keep")
    func localContext() async {
        let keychain = ScriptedKeychain(.init(waits: true))
        let gone = AsyncStream.makeStream(of: Void.self)
        func authenticate() {
            let context = MortalContext { gone.continuation.finish() }
            if context.canEvaluatePolicy(.deviceOwnerAuthentication, error: nil) {
                context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "to test", reply: replies.closure)
            }
        }
        keychain.whileCurrent { authenticate() }
        await keychain.event(.waits)
        #expect(keychain.endedCount == 0)
        keychain.answer(.done(domainState: nil))
        #expect(await replies.next().isFulfilled)
        for await _ in gone.stream {}
        #expect(keychain.endedCount == 1)
        #expect(replies.all.count == 1)
    }

    @Test("whenever the end comes, each evaluation has its one reply", arguments: 0..<50)
    func race(round: Int) async {
        let keychain = ScriptedKeychain()
        let gone = AsyncStream.makeStream(of: Void.self)
        do {
            let context = keychain.whileCurrent { MortalContext { gone.continuation.finish() } }
            // A context may be used from any thread.
            nonisolated(unsafe) let shared = context
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        if number == round % 8 {
                            shared.invalidate()
                        } else {
                            shared.evaluatePolicy(
                                .deviceOwnerAuthentication, localizedReason: "to test", reply: replies.closure)
                        }
                    }
                }
            }
        }
        for await _ in gone.stream {}
        #expect(replies.all.count == 7)
        #expect(replies.all.allSatisfy { $0.isFulfilled || $0.code == .appCancel || $0.code == .invalidContext })
        #expect(keychain.endedCount == keychain.openedCount)
    }

    @Test("a context that goes away ends its session")
    func goesAway() {
        let keychain = ScriptedKeychain()
        keychain.whileCurrent {
            #expect(LAContext().canEvaluatePolicy(.deviceOwnerAuthentication, error: nil))
        }
        #expect(keychain.openedCount == 1)
        #expect(keychain.endedCount == 1)
    }
}
