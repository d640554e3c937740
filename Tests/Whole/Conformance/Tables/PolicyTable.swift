import Foundation
import LocalAuthentication
import Security
import SecurityTesting
import Testing

extension Table {
    /// The answers of `LAContext`, policy by policy and state by state, by the codes of `LAError`. Each row has a
    /// device.
    static let policies = Table { table in
        table.addChecks()
        table.addEvaluations()
        table.addAccessControls()
        table.addContexts()
    }

    private typealias State = (name: String, enter: @Sendable (VirtualDevice) throws -> Void)

    private static func state(
        _ name: String, _ enter: @escaping @Sendable (VirtualDevice) throws -> Void
    ) -> State {
        (name, enter)
    }

    /// States of a device with the codes for both main policies; nil: can be evaluated.
    private static let states: [(State, biometry: LAError.Code?, owner: LAError.Code?)] = [
        (state("no passcode", { _ in }), .passcodeNotSet, .passcodeNotSet),
        (state("a passcode alone", { try Owner.passcode.moveIn($0) }), .biometryNotEnrolled, nil),
        (state("a finger", { try Owner.finger.moveIn($0) }), nil, nil),
        (
            state(
                "its finger removed",
                {
                    try Owner.finger.moveIn($0)
                    try $0.removeAllFingers()
                }), .biometryNotEnrolled, nil
        ),
        (
            state(
                "no sensor",
                {
                    try Owner.finger.moveIn($0)
                    $0.setSensor(.absent)
                }), .biometryNotAvailable, nil
        ),
        (
            state("no sensor and no passcode", { $0.setSensor(.absent) }), .biometryNotAvailable, .passcodeNotSet
        ),
        (
            state(
                "its sensor unplugged",
                {
                    try Owner.finger.moveIn($0)
                    $0.setSensor(.unplugged)
                }), .biometryDisconnected, nil
        ),
        (
            state(
                "a sensor that is not paired",
                {
                    try Owner.finger.moveIn($0)
                    $0.setSensor(.notPaired)
                }), .biometryNotPaired, nil
        ),
        (
            state(
                "a sensor that another program has",
                {
                    try Owner.finger.moveIn($0)
                    $0.setSensor(.busy)
                }), .biometryNotAvailable, nil
        ),
        (
            state(
                "its fingers locked out from afar",
                {
                    try Owner.finger.moveIn($0)
                    try $0.lockRemotely()
                }), .biometryLockout, nil
        ),
        (
            state(
                "a restart before the passcode",
                {
                    try Owner.finger.moveIn($0)
                    try $0.reboot()
                }), .biometryLockout, nil
        ),
        (
            state(
                "a locked screen",
                {
                    try Owner.finger.moveIn($0)
                    try $0.lock()
                }), nil, nil
        ),
        (
            state(
                "its passcode removed",
                {
                    try Owner.finger.moveIn($0)
                    try $0.removePasscode("1234")
                }), .passcodeNotSet, .passcodeNotSet
        ),
    ]

    private mutating func addChecks() {
        for (state, biometry, owner) in Self.states {
            row("LA", "canEvaluatePolicy on a device with \(state.name)", only: .generic) { s in
                try state.enter(s.device)
                s.canEvaluate(.deviceOwnerAuthenticationWithBiometrics, gives: biometry)
                s.canEvaluate(.deviceOwnerAuthentication, gives: owner)
                s.canEvaluate(.deviceOwnerAuthenticationWithCompanion, gives: .companionNotAvailable)
            }
            if let biometry {
                row("LA", "evaluating biometry shows no prompt on a device with \(state.name)", only: .generic) { s in
                    try state.enter(s.device)
                    s.evaluate(.deviceOwnerAuthenticationWithBiometrics, in: s.context(), gives: biometry)
                }
            }
            let answers: Answers = owner != nil ? .nobodyAsked : biometry == nil ? .match : .passcode
            row("LA", "evaluating the owner on a device with \(state.name): \(answers)", only: .generic) { s in
                try state.enter(s.device)
                s.evaluate(.deviceOwnerAuthentication, in: s.context(), answers, gives: owner)
            }
        }
    }

    private mutating func addEvaluations() {
        let biometry: [(Answers, LAError.Code?)] = [
            (.match, nil), (.cancel, .userCancel), (Answers("the fallback", .fallback), .userFallback),
            (Answers("the system taking the prompt away", .systemCancel), .systemCancel),
            (Answers("no answer in time", .timeout), .systemCancel),
            (.threeMisses, .authenticationFailed),
            (Answers("two misses, then a finger", .mismatch, .mismatch, .match(.rightIndex)), nil),
            (Answers("a finger that is not enrolled, then cancelling", .match(.leftThumb), .cancel), .userCancel),
            (Answers("a touch that cannot be read, then a finger", .unclear, .match(.rightIndex)), nil),
            (Answers("the sensor being unplugged", .unplug), .biometryDisconnected),
            (Answers("the login screen taking the sensor", .busy), .biometryNotAvailable),
            (Answers("code -9", .fail(.appCancel)), .appCancel),
            (Answers("code -1004", .fail(.notInteractive)), .notInteractive),
        ]
        for (answers, code) in biometry {
            row("LA", "biometry: \(answers)", only: .generic) { s in
                try Owner.finger.moveIn(s.device)
                s.evaluate(.deviceOwnerAuthenticationWithBiometrics, in: s.context(), answers, gives: code)
            }
        }
        let owner: [(Answers, LAError.Code?)] = [
            (.match, nil), (.cancel, .userCancel), (.fallback, nil),
            (Answers("three misses, then the passcode", .mismatch, .mismatch, .mismatch, .passcode("1234")), nil),
            (
                Answers("three misses, then cancelling", .mismatch, .mismatch, .mismatch, .cancel), .userCancel
            ),
            (Answers("a wrong passcode, then the right one", .fallback, .passcode("0"), .passcode("1234")), nil),
            (
                Answers("three wrong passcodes", .fallback, .passcode("0"), .passcode("1"), .passcode("2")),
                .authenticationFailed
            ),
            (
                Answers(
                    "the same wrong passcode three times", .fallback, .passcode("0"), .passcode("0"), .passcode("0")),
                .authenticationFailed
            ),
            (Answers("the system taking the finger's prompt away", .systemCancel), .systemCancel),
            (Answers("the system taking the passcode's prompt away", .fallback, .systemCancel), .systemCancel),
            (Answers("no answer in time", .timeout), .systemCancel),
            (Answers("the sensor being unplugged, then the passcode", .unplug, .passcode("1234")), nil),
            (Answers("the login screen taking the sensor, then the passcode", .busy, .passcode("1234")), nil),
        ]
        for (answers, code) in owner {
            row("LA", "the owner: \(answers)", only: .generic) { s in
                try Owner.finger.moveIn(s.device)
                s.evaluate(.deviceOwnerAuthentication, in: s.context(), answers, gives: code)
            }
        }
        for policy in [LAPolicy.deviceOwnerAuthenticationWithBiometrics, .deviceOwnerAuthentication] {
            row("LA", "policy \(policy.rawValue): prompts are forbidden", only: .generic) { s in
                try Owner.finger.moveIn(s.device)
                let context = s.context { $0.interactionNotAllowed = true }
                s.evaluate(policy, in: context, gives: .notInteractive)
                context.interactionNotAllowed = false
                s.evaluate(policy, in: context, .match)
                context.interactionNotAllowed = true
                s.evaluate(policy, in: context)
            }
        }
        row("LA", "a companion is never there", only: .generic) { s in
            try Owner.finger.moveIn(s.device)
            s.evaluate(.deviceOwnerAuthenticationWithCompanion, in: s.context(), gives: .companionNotAvailable)
            s.evaluate(.deviceOwnerAuthenticationWithWristDetection, in: s.context(), gives: .companionNotAvailable)
            s.evaluate(.deviceOwnerAuthenticationWithBiometricsOrCompanion, in: s.context(), .match)
        }
        row("LA", "a planned failure is the evaluation's own", only: .generic) { s in
            try Owner.finger.moveIn(s.device)
            s.device.failNextEvaluation(with: .biometryLockout)
            s.evaluate(.deviceOwnerAuthentication, in: s.context(), gives: .biometryLockout)
            s.evaluate(.deviceOwnerAuthentication, in: s.context(), .match)
        }
    }

    private mutating func addAccessControls() {
        let cases: [(String, SecAccessControlCreateFlags, Answers, LAError.Code?)] = [
            ("user presence", .userPresence, .match, nil), ("biometryAny", .biometryAny, .match, nil),
            ("biometryCurrentSet", .biometryCurrentSet, .match, nil),
            ("devicePasscode", .devicePasscode, .passcode, nil),
            ("devicePasscode", .devicePasscode, .cancel, .userCancel),
            ("companion", .companion, .nobodyAsked, .companionNotAvailable),
            (
                "biometry and passcode", [.and, .biometryAny, .devicePasscode],
                Answers("both", .match(.rightIndex), .passcode("1234")), nil
            ),
            ("no condition", [], .nobodyAsked, nil),
        ]
        for (name, flags, answers, code) in cases {
            row("LA, 8.3", "evaluateAccessControl with \(name): \(answers)", only: .generic) { s in
                try Owner.finger.moveIn(s.device)
                s.evaluate(try s.control(flags), in: s.context(), answers, gives: code)
            }
        }
        row("LA, 8.3", "making an item shows no prompt", only: .generic) { s in
            try Owner.finger.moveIn(s.device)
            s.evaluate(try s.control(.userPresence), for: .createItem, in: s.context())
        }
        row("LA, 8.3", "an access control of an item's is good for no key", only: .generic) { s in
            try Owner.finger.moveIn(s.device)
            s.evaluate(
                try s.control(.userPresence), for: .useKeySign, in: s.context(), gives: .authenticationFailed)
        }
        row("LA, 8.3", "an access control of a key's asks for signing", only: .generic) { s in
            try Owner.finger.moveIn(s.device)
            let control = try s.control([.privateKeyUsage, .userPresence])
            s.evaluate(control, for: .useKeySign, in: s.context(), .match)
            s.evaluate(control, for: .useKeyKeyExchange, in: s.context(), .match)
            s.evaluate(control, for: .useItem, in: s.context(), gives: .authenticationFailed)
        }
    }

    private mutating func addContexts() {
        row("LA", "an invalidated context evaluates nothing", only: .generic) { s in
            try Owner.finger.moveIn(s.device)
            let context = s.context()
            context.invalidate()
            s.evaluate(.deviceOwnerAuthentication, in: context, gives: .invalidContext)
            s.canEvaluate(.deviceOwnerAuthentication, in: context, gives: .invalidContext)
        }
        row("LA", "what was evaluated is not asked again in the same context", only: .generic) { s in
            try Owner.finger.moveIn(s.device)
            let context = s.context()
            s.evaluate(.deviceOwnerAuthenticationWithBiometrics, in: context, .match)
            s.evaluate(.deviceOwnerAuthenticationWithBiometrics, in: context)
            s.evaluate(.deviceOwnerAuthentication, in: context)
            s.evaluate(.deviceOwnerAuthentication, in: s.context(), .match)
        }
        row("LA", "the kind of biometry is that of the sensor", only: .generic) { s in
            s.expect(s.context().biometryType == .touchID, "a fingerprint reader")
            s.device.setSensor(.absent)
            s.expect(s.context().biometryType == .none, "no reader")
        }
        row("LA", "an evaluation keeps the state of the domain", only: .generic) { s in
            try Owner.finger.moveIn(s.device)
            let context = s.context()
            s.expect(context.evaluatedPolicyDomainState == nil, "nothing before")
            s.evaluate(.deviceOwnerAuthenticationWithBiometrics, in: context, .match)
            let state = context.evaluatedPolicyDomainState
            s.expect(state != nil, "a state afterwards")
            let other = s.context()
            s.canEvaluate(.deviceOwnerAuthenticationWithBiometrics, in: other)
            s.expect(other.evaluatedPolicyDomainState == state, "the same for another context")
        }
        row("LA", "the state of the domain is told where biometry matched, not where the passcode did", only: .generic)
        { s in
            try Owner.finger.moveIn(s.device)
            let byPasscode = s.context()
            s.evaluate(.deviceOwnerAuthentication, in: byPasscode, .fallback)
            s.expect(byPasscode.evaluatedPolicyDomainState == nil, "none after the passcode")
            let byFinger = s.context()
            s.evaluate(.deviceOwnerAuthentication, in: byFinger, .match)
            let state = byFinger.evaluatedPolicyDomainState
            s.expect(state != nil, "a state after a finger")
            // The former finger still counts, and its domain state too.
            s.evaluate(.deviceOwnerAuthentication, in: byFinger)
            s.expect(byFinger.evaluatedPolicyDomainState == state, "the same again")
            let asking = s.context()
            s.canEvaluate(.deviceOwnerAuthentication, in: asking)
            s.expect(asking.evaluatedPolicyDomainState == nil, "none for a policy that the passcode fulfils")
            s.canEvaluate(.deviceOwnerAuthenticationWithBiometrics, in: asking)
            s.expect(asking.evaluatedPolicyDomainState == state, "the state for a policy of biometry")
        }
        row("LA", "an evaluation that failed tells no state of the domain", only: .generic) { s in
            try Owner.finger.moveIn(s.device)
            let context = s.context()
            s.evaluate(.deviceOwnerAuthenticationWithBiometrics, in: context, .cancel, gives: .userCancel)
            s.expect(context.evaluatedPolicyDomainState == nil, "none")
        }
        row("LA", "an evaluation without a reason shows no prompt", only: .generic) { s in
            try Owner.finger.moveIn(s.device)
            let context = s.context()
            let outcome = s.wait { reply in
                s.app.run {
                    context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "", reply: reply)
                }
            }
            s.expect(!outcome.succeeded, "refused")
        }
    }
}
