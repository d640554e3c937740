import Dispatch
import Foundation
import LocalAuthentication
import Security
import SecurityTesting
import Synchronization
import Testing

/// The owner of the device of a row.
enum Owner: String, Sendable, CaseIterable {
    /// No passcode, no finger.
    case nobody
    case passcode
    /// A passcode, and the right index finger.
    case finger

    static let code = "1234"

    func moveIn(_ device: VirtualDevice) throws {
        if self == .nobody { return }
        try device.setPasscode(Self.code)
        if self == .finger { try device.enroll(.rightIndex) }
    }
}

/// The acts of a person who is asked, with a name for the row.
struct Answers: Sendable, CustomStringConvertible {
    let answers: [ScriptedAnswer]
    let description: String

    init(_ description: String, _ answers: ScriptedAnswer...) {
        self.init(description, answers)
    }

    init(_ description: String, _ answers: [ScriptedAnswer]) {
        self.description = description
        self.answers = answers
    }

    static let nobodyAsked = Answers("no prompt being shown")
    static let match = Answers("a finger", .match(.rightIndex))
    static let passcode = Answers("the passcode", .passcode(Owner.code))
    static let fallback = Answers("the passcode in place of a finger", .fallback, .passcode(Owner.code))
    static let threeMisses = Answers("three misses", .mismatch, .mismatch, .mismatch)
    static let wrongPasscodes = Answers(
        "three wrong passcodes", .passcode("0"), .passcode("00"), .passcode("000"))
    static let cancel = Answers("cancelling", .cancel)
}

extension Scene {
    // MARK: Items that need a person

    func control(_ flags: SecAccessControlCreateFlags, _ protection: String = "aku") throws -> SecAccessControl {
        try #require(SecAccessControlCreateWithFlags(nil, protection as CFString, flags, nil))
    }

    /// Adds an item with data "d" behind conditions; `answers` are those that the add itself asks for.
    func addGuarded(
        _ flags: SecAccessControlCreateFlags, _ protection: String = "aku", as account: String = "guarded",
        in context: LAContext? = nil, typing answers: Answers = .nobodyAsked, gives wanted: OSStatus = errSecSuccess,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        let item: [CFString: Any] = [
            kSecAttrAccount: account, kSecValueData: Data("d".utf8),
            kSecAttrAccessControl: try control(flags, protection),
        ]
        asked(answers, location) { add(item.in(context), gives: wanted, location) }
    }

    /// Reads the data of an item; exactly `answers` are asked for.
    func read(
        _ answers: Answers = .nobodyAsked, of account: String = "guarded", in context: LAContext? = nil,
        extra: [CFString: Any] = [:], gives wanted: OSStatus = errSecSuccess,
        _ location: SourceLocation = #_sourceLocation
    ) {
        let query = extra.merging([kSecAttrAccount: account, kSecReturnData: true]) { first, _ in first }
        asked(answers, location) {
            let found = find(query.in(context), gives: wanted, location)
            expect(
                found, is: wanted == errSecSuccess ? Data("d".utf8) : nil, "data after \(answers.description)", location
            )
        }
    }

    /// Runs `body` and expects that it asks for exactly these answers.
    func asked(_ answers: Answers, _ location: SourceLocation = #_sourceLocation, _ body: () throws -> Void) rethrows {
        device.script(answers.answers)
        try body()
        let left = device.unusedAnswers
        expect(
            left.isEmpty, "\(answers.description): no prompt asked for the last \(left.count) answers", location)
        device.forgetScript()
    }

    // MARK: Contexts

    /// A context of the row's app.
    func context(_ change: (LAContext) -> Void = { _ in }) -> LAContext {
        app.run {
            let context = LAContext()
            context.localizedReason = "play the row"
            change(context)
            return context
        }
    }

    /// Evaluates a policy; exactly `answers` are asked for.
    func evaluate(
        _ policy: LAPolicy, in context: LAContext, _ answers: Answers = .nobodyAsked,
        gives wanted: LAError.Code? = nil, _ location: SourceLocation = #_sourceLocation
    ) {
        asked(answers, location) {
            let outcome = wait { reply in
                app.run { context.evaluatePolicy(policy, localizedReason: "play the row", reply: reply) }
            }
            check(outcome, wanted, "evaluatePolicy after \(answers.description)", location)
        }
    }

    func evaluate(
        _ control: SecAccessControl, for operation: LAAccessControlOperation = .useItem, in context: LAContext,
        _ answers: Answers = .nobodyAsked, gives wanted: LAError.Code? = nil,
        _ location: SourceLocation = #_sourceLocation
    ) {
        asked(answers, location) {
            let outcome = wait { reply in
                app.run {
                    context.evaluateAccessControl(
                        control, operation: operation, localizedReason: "play the row", reply: reply)
                }
            }
            check(outcome, wanted, "evaluateAccessControl after \(answers.description)", location)
        }
    }

    func canEvaluate(
        _ policy: LAPolicy, in context: LAContext? = nil, gives wanted: LAError.Code? = nil,
        _ location: SourceLocation = #_sourceLocation
    ) {
        asked(.nobodyAsked, location) {
            let outcome = app.run { () -> Outcome in
                var error: NSError?
                let context = context ?? LAContext()
                let isPossible = context.canEvaluatePolicy(policy, error: &error)
                return Outcome(succeeded: isPossible, domain: error?.domain, code: error?.code)
            }
            check(outcome, wanted, "canEvaluatePolicy", location)
        }
    }

    /// The outcome of a reply.
    struct Outcome: Sendable, Hashable {
        var succeeded: Bool
        var domain: String?
        var code: Int?
    }

    /// Waits for the one reply of a call that answers on another thread.
    func wait(for call: (@escaping @Sendable (Bool, (any Error)?) -> Void) -> Void) -> Outcome {
        let answered = DispatchSemaphore(value: 0)
        let outcome = Mutex(Outcome(succeeded: false))
        call { succeeded, error in
            let error = error.map { $0 as NSError }
            outcome.withLock { $0 = Outcome(succeeded: succeeded, domain: error?.domain, code: error?.code) }
            answered.signal()
        }
        answered.wait()
        return outcome.withLock { $0 }
    }

    func check(
        _ outcome: Outcome, _ wanted: LAError.Code?, _ call: String, _ location: SourceLocation = #_sourceLocation
    ) {
        let expected = Outcome(
            succeeded: wanted == nil, domain: wanted.map { _ in LAErrorDomain }, code: wanted?.rawValue)
        expect(
            outcome == expected,
            "\(call) gave \(outcome.code.map { "code \($0)" } ?? "\(outcome.succeeded)"), not \(expected)", location)
    }
}

extension [CFString: Any] {
    /// The query with a context of the app's own.
    func `in`(_ context: LAContext?) -> [CFString: Any] {
        guard let context else { return self }
        return merging([kSecUseAuthenticationContext: context]) { _, new in new }
    }
}
