import LatchkeyAccessControl
import LatchkeyEnclaveContract
import LatchkeyEnclaveCore
import LatchkeyEnclaveService
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyKeychainService
import LatchkeyTestSupport
import Testing

@Suite("Evaluating a policy")
struct EvaluationTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let policy: AuthenticationPolicy
        let prepare: @Sendable (AuthenticationStage) -> Void
        let steps: [Step]
        let error: AuthenticationError?
        let rule: Rule?
        /// The prompts that the person was shown.
        let kinds: [Prompt.Kind]

        init(
            _ name: String, _ policy: AuthenticationPolicy,
            _ prepare: @escaping @Sendable (AuthenticationStage) -> Void,
            _ steps: [Step], _ kinds: [Prompt.Kind], _ error: AuthenticationError? = nil, _ rule: Rule? = nil
        ) {
            testDescription = name
            self.policy = policy
            self.prepare = prepare
            self.steps = steps
            self.kinds = kinds
            self.error = error
            self.rule = rule
        }

        init(
            _ name: String, _ policy: AuthenticationPolicy, _ steps: [Step], _ kinds: [Prompt.Kind],
            _ error: AuthenticationError? = nil, _ rule: Rule? = nil
        ) {
            self.init(name, policy, { _ in }, steps, kinds, error, rule)
        }
    }

    private static let thrice = [Step.miss, .miss, .miss]
    private static let threeFingers = [Prompt.Kind.finger, .finger, .finger]

    private static func obstacle(_ obstacle: SensorObstacle) -> @Sendable (AuthenticationStage) -> Void {
        { $0.sensor.obstacle = obstacle }
    }

    @Sendable private static func fingersGone(_ stage: AuthenticationStage) { stage.sensor.removeAll() }

    @Sendable private static func lockedOut(_ stage: AuthenticationStage) {
        for number in 1...BiometryGuard.missLimit {
            // At the last miss there is nothing left to cancel.
            stage.person.will(number < BiometryGuard.missLimit ? [.miss, .cancel] : [.miss])
            _ = stage.evaluate(.biometry, session: stage.openSession())
        }
    }

    static let rows = [
        Row("a finger matches", .biometry, [.match], [.finger]),
        Row("a finger matches for the owner", .deviceOwner, [.match], [.finger]),
        Row("three misses for the owner", .deviceOwner, thrice + [.type("1234")], threeFingers + [.passcode]),
        Row(
            "three misses, biometry alone", .biometry, thrice, threeFingers, .authenticationFailed,
            .authenticationFailed),
        Row("fallback for the owner", .deviceOwner, [.fallback, .type("1234")], [.finger, .passcode]),
        Row("fallback, biometry alone", .biometry, [.fallback], [.finger], .userFallback, .userFallback),
        Row("cancelled", .biometry, [.cancel], [.finger], .userCancel, .userCancelled),
        Row(
            "cancelled at the passcode", .deviceOwner, [.fallback, .cancel], [.finger, .passcode], .userCancel,
            .userCancelled),
        Row(
            "the prompt fails", .biometry, [.answer(.failed(reason: "x"))], [.finger], .systemCancel, .promptFailed),
        Row("the prompt is taken away", .deviceOwner, [.answer(.withdrawn)], [.finger], .systemCancel, .promptFailed),
        Row("the user does not answer", .deviceOwner, [.answer(.timedOut)], [.finger], .systemCancel, .promptTimedOut),
        Row(
            "the user does not answer the passcode prompt", .deviceOwner, [.fallback, .answer(.timedOut)],
            [.finger, .passcode],
            .systemCancel, .promptTimedOut),
        Row(
            "the passcode is wrong thrice", .deviceOwner, [.fallback, .type("1"), .type("2"), .type("3")],
            [.finger, .passcode, .passcode, .passcode], .authenticationFailed, .passcodeRefused),
        Row("unclear touches", .biometry, [.touch(.unclear(.tooShort)), .match], [.finger, .finger]),
        Row(
            "no finger enrolled", .biometry, fingersGone, [], [], .biometryNotEnrolled, .biometryNotEnrolled),
        Row("no finger enrolled, the owner", .deviceOwner, fingersGone, [.type("1234")], [.passcode]),
        Row("no reader", .biometry, obstacle(.none), [], [], .biometryNotAvailable, .biometryNotAvailable),
        Row("no reader, the owner", .deviceOwner, obstacle(.none), [.type("1234")], [.passcode]),
        Row("the reader is busy", .biometry, obstacle(.busy), [], [], .biometryNotAvailable, .biometryNotAvailable),
        Row("the reader is busy, the owner", .deviceOwner, obstacle(.busy), [.type("1234")], [.passcode]),
        Row(
            "the reader is unplugged", .biometry, obstacle(.disconnected), [], [], .biometryDisconnected,
            .biometryDisconnected),
        Row(
            "the reader goes in the middle", .biometry, [.touch(.unavailable(.disconnected))], [.finger],
            .biometryDisconnected, .biometryDisconnected),
        Row(
            "the reader goes in the middle, the owner", .deviceOwner,
            [.touch(.unavailable(.disconnected)), .type("1234")], [.finger, .passcode]),
        Row("locked out", .biometry, lockedOut, [], [], .biometryLockout, .biometryLockedOut),
        Row("locked out, the owner", .deviceOwner, lockedOut, [.type("1234")], [.passcode]),
        Row(
            "a companion", .companion, [], [], .companionNotAvailable, .companionNotAvailable),
        Row("biometry or a companion", .biometryOrCompanion, [.match], [.finger]),
        Row("a wrist", .wristDetection, [], [], .companionNotAvailable, .companionNotAvailable),
    ]

    @Test("the person sees these prompts, and it ends like this", arguments: rows)
    func table(row: Row) throws {
        let stage = try AuthenticationStage()
        row.prepare(stage)
        let before = stage.person.prompts.count
        stage.person.will(row.steps)
        let session = stage.openSession()
        let reply = stage.evaluate(row.policy, session: session)
        #expect(reply.error == row.error)
        #expect(reply.rule == row.rule)
        #expect(stage.person.prompts[before...].map(\.kind) == row.kinds)
        #expect(stage.person.mostAtOnce <= 1)
        if let rule = row.rule { #expect(stage.keychain.refusals(1).first?.refusal.rule == rule) }
        // A proof lasts, a failure leaves nothing.
        if row.error == nil { #expect(stage.evaluate(row.policy, session: session).error == nil) }
        #expect(stage.person.stepsLeft == 0)
    }

    @Test("the fifth miss locks biometry out in the middle of an evaluation")
    func fifthMiss() throws {
        let stage = try AuthenticationStage()
        stage.person.will(.miss, .miss, .cancel)
        #expect(stage.evaluate(.biometry, session: stage.openSession()).error == .userCancel)
        stage.person.will(.miss, .miss, .miss)
        let reply = stage.evaluate(.biometry, session: stage.openSession())
        #expect(reply.error == .biometryLockout && reply.rule == .biometryLockedOut)
        try stage.store("a", .userPresence)
        stage.person.will(.type("1234"))
        #expect(stage.find("a").text == "s3cret", "the passcode still opens")
        stage.person.will(.match)
        #expect(stage.find("a").text == "s3cret", "and makes fingers count again")
    }

    @Test("an item for biometry alone says lockout as a failed authentication")
    func lockedOutItem() throws {
        let stage = try AuthenticationStage()
        try stage.store("a", .biometryAny)
        Self.lockedOut(stage)
        let reply = stage.find("a")
        #expect(reply.code == .authFailed && reply.refusal?.rule == .biometryLockedOut)
    }

    @Test("without a passcode no policy is fulfilled")
    func noPasscode() throws {
        let stage = try AuthenticationStage(hasPasscode: false)
        for policy in [AuthenticationPolicy.deviceOwner, .biometry] {
            let reply = stage.evaluate(policy, session: stage.openSession())
            #expect(reply.error == .passcodeNotSet && reply.rule == .passcodeNotSet)
        }
    }

    @Test("a check shows no prompt, and says what evaluating would")
    func check() throws {
        let stage = try AuthenticationStage()
        let session = stage.openSession()
        func check(_ policy: AuthenticationPolicy) -> Result<PolicyFulfilment, AuthenticationRefusal> {
            stage.service.outcome(of: CheckPolicy(policy), session: session)
        }
        #expect(check(.biometry).error == nil && check(.deviceOwner).error == nil)
        stage.sensor.removeAll()
        #expect(check(.biometry).error == .biometryNotEnrolled)
        #expect(check(.deviceOwner).error == nil)
        #expect(check(.companion).error == .companionNotAvailable)
        #expect(stage.person.prompts.isEmpty)
        #expect(stage.keychain.refusals().isEmpty, "a check does not make a refusal")
    }

    @Test("the domain state changes with the enrolled fingers, and is not the enclave's own name for them")
    func domainState() throws {
        let stage = try AuthenticationStage()
        let session = stage.openSession()
        func state() throws -> [UInt8]? {
            try stage.service.ask(CheckPolicy(.biometry), caller: TestKeychain.caller, session: session).domainState
        }
        let first = try #require(try state())
        #expect(try first.count == 32 && state() == first)
        let biometry = try stage.service.ask(DescribeBiometry(), caller: TestKeychain.caller, session: session)
        #expect(biometry.domainState == first && biometry.status.survey.name == "touch")
        #expect(biometry.status.enrolmentSet.map { first.starts(with: $0.bytes) } != true)
        stage.sensor.enrol(.leftIndex)
        let second = try #require(try state())
        #expect(second != first)
        stage.sensor.removeAll()
        let gone = try stage.service.ask(DescribeBiometry(), caller: TestKeychain.caller, session: session)
        #expect(gone.domainState == nil)
    }

    @Test("an unlock of the device by finger counts where the program lets it count")
    func reuse() throws {
        let stage = try AuthenticationStage()
        // The enclave has seen who is enrolled before the lock.
        try stage.service.ask(DescribeBiometry(), caller: TestKeychain.caller, session: stage.openSession())
        stage.lock()
        stage.sensor.touch(.matched(.rightIndex))
        let outcome = try stage.service.ask(UnlockWithFinger(seconds: 60), caller: TestKeychain.caller)
        guard case .matched = outcome else { throw Unexpected() }
        stage.person.will(.cancel)
        #expect(stage.evaluate(.biometry, session: stage.openSession()).error == .userCancel)
        let reusing = Interaction(reuseSeconds: 30)
        let session = stage.openSession()
        #expect(stage.evaluate(.biometry, reusing, session: session).error == nil)
        stage.keychain.clock.advance(by: 31)
        #expect(stage.evaluate(.biometry, session: session).error == nil, "fulfilled is fulfilled")
        stage.person.will(.cancel)
        #expect(stage.evaluate(.biometry, reusing, session: stage.openSession()).error == .userCancel)
    }

    @Test("an access control is evaluated for one operation")
    func accessControl() throws {
        let stage = try AuthenticationStage()
        let session = stage.openSession()
        func evaluate(
            _ control: AccessControl, _ operation: GuardedOperation
        ) -> Result<AuthenticationDone, AuthenticationRefusal> {
            stage.service.outcome(
                of: EvaluateAccessControl(control, for: operation, Interaction()), session: session)
        }
        let control = try AccessControl(protection: .whenUnlocked, flags: .biometryAny)
        #expect(evaluate(control, .delete).error == nil)
        #expect(evaluate(control, .sign).rule == .operationNotGranted)
        #expect(stage.person.prompts.isEmpty)
        stage.person.will(.match)
        #expect(evaluate(control, .decrypt).error == nil)
        let password = try AccessControl(protection: .whenUnlocked, flags: .applicationPassword)
        stage.person.will(.type("word"))
        #expect(evaluate(password, .encrypt).error == nil)
        #expect(stage.person.prompts.last?.kind == .applicationPassword(isNew: true))
    }

    @Test("an enclave that forgot its contexts is asked for new ones")
    func forgottenContexts() throws {
        let stage = try AuthenticationStage()
        try stage.store("a", .userPresence)
        let session = stage.openSession()
        stage.person.will(.match)
        #expect(stage.find("a", session: session).text == "s3cret")
        stage.keychain.enclave.restart()
        _ = try? stage.service.ask(UnlockDevice(secret("1234")), caller: TestKeychain.caller)
        stage.person.will(.match)
        #expect(stage.find("a", session: session).text == "s3cret")
        #expect(stage.person.prompts.count == 2, "what was proved before the restart is gone")
    }
}
