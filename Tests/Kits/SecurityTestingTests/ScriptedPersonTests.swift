import LatchkeyEnclaveContract
import LatchkeyEnclaveCore
import LatchkeyKeychainMessages
import LatchkeySecretMemory
import LatchkeyTestSupport
import LatchkeyThreading
import Testing

@testable import SecurityTesting

/// The person alone, as the enclave and the keychain service meet it: at the sensor and at the screen at once.
@Suite("The scripted person")
struct ScriptedPersonTests {
    private static let finger = Prompt(kind: .finger, program: "mail", reason: "open the mail")
    private static let passcode = Prompt(kind: .passcode, program: "mail", reason: "open the mail")

    private static func person(_ answers: ScriptedAnswer...) -> ScriptedPerson {
        let person = ScriptedPerson(entropy: SeededEntropy(seed: 1))
        _ = person.enrol(.rightIndex, until: Cancellation()) { _ in }
        person.script(answers)
        return person
    }

    /// Starts both waits of one evaluation, `screenFirst` or the sensor first, and cancels the one that is left.
    private static func evaluate(
        _ person: ScriptedPerson, screenFirst: Bool = true
    ) -> (screen: String, sensor: SensorEvent) {
        let screen = Cancellation(seconds: 60)
        let sensor = Cancellation(seconds: 60)
        let ask: @Sendable () -> String = {
            let answer = person.ask(Self.finger, until: screen)
            sensor.cancel()
            return answer.name
        }
        let match: @Sendable () -> SensorEvent = {
            let event = person.match(until: sensor)
            if case .matched = event { screen.cancel() }
            return event
        }
        if screenFirst {
            let (one, other) = (Pending(ask), Pending(match))
            return (one.value, other.value)
        }
        let (other, one) = (Pending(match), Pending(ask))
        return (one.value, other.value)
    }

    @Test("answers at the sensor, and the screen waits for its end", arguments: [true, false])
    func match(screenFirst: Bool) {
        let person = Self.person(.match(.rightIndex))
        let outcome = Self.evaluate(person, screenFirst: screenFirst)
        #expect(outcome.sensor == .matched(.rightIndex))
        #expect(outcome.screen == "withdrawn")
        #expect(person.unusedAnswers.isEmpty)
        #expect(person.unanswered.isEmpty)
    }

    @Test(
        "answers at the screen, and the sensor waits for its end",
        arguments: [ScriptedAnswer.cancel, .fallback, .systemCancel, .timeout], [true, false])
    func screen(_ answer: ScriptedAnswer, screenFirst: Bool) {
        let person = Self.person(answer, .match(.rightIndex))
        let outcome = Self.evaluate(person, screenFirst: screenFirst)
        let names: [ScriptedAnswer: String] = [
            .cancel: "cancelled", .fallback: "fallback", .systemCancel: "withdrawn", .timeout: "timedOut",
        ]
        #expect(outcome.screen == names[answer])
        #expect(outcome.sensor == .ended, "the next answer is for the next question")
        #expect(person.unusedAnswers == [.match(.rightIndex)])
    }

    @Test("knows which fingers are enrolled")
    func strangers() {
        let person = Self.person(.match(.leftThumb), .mismatch, .unclear)
        let screen = Cancellation(seconds: 60)
        let shown = Pending { person.ask(Self.finger, until: screen).name }
        #expect(person.match(until: Cancellation(seconds: 60)) == .notMatched)
        #expect(person.match(until: Cancellation(seconds: 60)) == .notMatched)
        #expect(person.match(until: Cancellation(seconds: 60)) == .unclear(.again))
        screen.cancel()
        #expect(shown.value == "withdrawn")
        #expect(person.unanswered.isEmpty)
    }

    @Test("has a sensor that can be away")
    func sensorStates() {
        let person = Self.person(.busy, .unplug)
        let screen = Cancellation(seconds: 60)
        let shown = Pending { person.ask(Self.finger, until: screen).name }
        #expect(person.match(until: Cancellation(seconds: 60)) == .unavailable(.busy))
        #expect(person.survey().obstacle == nil)
        #expect(person.match(until: Cancellation(seconds: 60)) == .unavailable(.disconnected))
        #expect(person.survey().obstacle == .disconnected)
        #expect(person.survey().fingers == [.rightIndex])
        person.set(.absent)
        #expect(person.survey() == .noSensor)
        #expect(person.remove(nil) == SensorObstacle.none)
        person.set(.ready)
        #expect(person.survey().fingers == [.rightIndex])
        screen.cancel()
        _ = shown.value
    }

    @Test("has another digest after every enrolment, and the old one is gone for good")
    func digests() {
        let person = Self.person()
        var seen: Set<[UInt8]> = [person.survey().digest]
        for finger in [LatchkeyEnclaveContract.Finger.rightIndex, .leftThumb, .rightIndex] {
            #expect(person.enrol(finger, until: Cancellation()) { _ in } == .completed)
            #expect(seen.insert(person.survey().digest).inserted)
        }
        #expect(person.remove(.leftThumb) == nil)
        #expect(seen.insert(person.survey().digest).inserted)
        #expect(person.remove(nil) == nil)
        #expect(person.survey().digest.isEmpty)
    }

    @Test("types what is asked for, and nothing else")
    func typed() {
        let person = Self.person(.passcode("1234"), .applicationPassword("xyz"), .passcode("5"))
        let password = Prompt(kind: .applicationPassword(isNew: false), program: "mail", reason: "")
        #expect(person.ask(Self.passcode, until: Cancellation(seconds: 60)).text == "1234")
        #expect(person.ask(password, until: Cancellation(seconds: 60)).text == "xyz")
        #expect(person.ask(password, until: Cancellation(seconds: 60)).name == "withdrawn")
        #expect(person.unusedAnswers == [.passcode("5")])
        let unanswered = person.unanswered
        #expect(unanswered.map(\.nextAnswer) == [.passcode("5")])
        #expect(unanswered.first?.asked(by: .copyMatching, at: nil).description.contains(".passcode") ?? false)
        #expect(!(unanswered.first?.asked(by: .copyMatching, at: nil).description.contains("\"5\"") ?? true))
    }

    @Test(
        "notes a question that the script does not answer, and ends it as the system would", arguments: [true, false])
    func unanswered(screenFirst: Bool) {
        let person = Self.person()
        let outcome = Self.evaluate(person, screenFirst: screenFirst)
        #expect(outcome.screen == "withdrawn")
        #expect(outcome.sensor == .ended)
        #expect(person.takeUnanswered(by: "other").isEmpty)
        #expect(person.takeUnanswered(by: "mail").map(\.prompt.kind) == [.finger])
        #expect(person.takeUnanswered(by: "mail").isEmpty)
    }

    @Test("does not press keys at a finger's prompt that belong to the passcode's")
    func misplaced() {
        let person = Self.person(.passcode("1234"))
        let outcome = Self.evaluate(person)
        #expect(outcome.screen == "withdrawn")
        #expect(person.unanswered.map(\.nextAnswer) == [.passcode("1234")])
        #expect(person.unusedAnswers == [.passcode("1234")])
    }

    @Test("touches the sensor to unlock the device, without any prompt")
    func touch() {
        let person = Self.person(.cancel)
        person.touch(.rightIndex)
        #expect(person.match(until: Cancellation(seconds: 60)) == .matched(.rightIndex))
        #expect(person.unusedAnswers == [.cancel])
    }

    @Test("leaves waits whose program went away without an answer")
    func unwanted() {
        let person = Self.person(.match(.rightIndex))
        let gone = Cancellation(seconds: 60)
        let stale = Pending { person.match(until: gone) { false } }
        let outcome = Self.evaluate(person)
        #expect(outcome.sensor == .matched(.rightIndex))
        gone.cancel()
        #expect(stale.value == .ended)
    }

    @Test("ends waits at their deadline")
    func deadlines() {
        let person = Self.person()
        #expect(person.match(until: Cancellation(seconds: 0)) == .ended)
        #expect(person.ask(Self.finger, until: Cancellation(seconds: 0)).name == "timedOut")
        let cancelled = Cancellation()
        cancelled.cancel()
        #expect(person.ask(Self.passcode, until: cancelled).name == "withdrawn")
    }
}

extension PromptAnswer {
    fileprivate var name: String {
        switch self {
        case .secret: "secret"
        case .cancelled: "cancelled"
        case .fallback: "fallback"
        case .withdrawn: "withdrawn"
        case .timedOut: "timedOut"
        case .failed: "failed"
        }
    }

    fileprivate var text: String? {
        guard case .secret(let secret) = self else { return nil }
        return unsafe secret.withBytes { unsafe String(decoding: $0, as: UTF8.self) }
    }
}
