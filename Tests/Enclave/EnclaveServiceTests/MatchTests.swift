import LatchkeyAccessControl
import LatchkeyEnclaveContract
import LatchkeyEnclaveCore
import LatchkeyEnclaveService
import LatchkeyTestSupport
import Testing

/// Waiting for a finger on behalf of a context.
@Suite struct MatchTests {
    @Test("a match is evidence of the context that asked for it") func match() throws {
        let device = try TestDevice.withFinger()
        let context = try device.openContext()
        device.sensor.give(.matched(.rightIndex))
        #expect(try device.match(for: context) == .matched(.rightIndex))
        #expect(try device.verdict(.biometry, in: context) == .granted)
        #expect(device.refusalToOpen(try device.item(.biometryCurrentSet), with: context) == nil)
        device.sensor.give(.matched(nil))
        #expect(try device.match(for: try device.openContext()) == .matched(nil))
    }

    @Test("touches that cannot be judged count as nothing", arguments: UnclearTouch.allCases)
    func unclear(_ touch: UnclearTouch) throws {
        let device = try TestDevice.withFinger()
        let context = try device.openContext()
        for _ in 0..<7 {
            device.sensor.give(.unclear(touch))
            #expect(try device.match(for: context) == .unclear(touch))
        }
        #expect(try device.biometry.missesLeft == 5)
        #expect(try device.verdict(.biometry, in: context) == .needs(.match))
    }

    @Test("five misses, of whichever contexts, lock biometry until the passcode") func lockout() throws {
        let device = try TestDevice.withFinger()
        let proved = try device.matchedContext()
        for left in stride(from: 4, through: 0, by: -1) {
            device.sensor.give(.notMatched)
            #expect(try device.match(for: try device.openContext()) == .notMatched(missesLeft: left))
        }
        let context = try device.openContext()
        #expect(try device.biometry.obstacle == .biometryLockedOut)
        #expect(try device.biometry.missesLeft == 0)
        #expect(try device.biometry.enrolmentSet != nil)
        device.sensor.give(.matched(.rightIndex))
        #expect(try device.match(for: context) == .refused(.biometryLockedOut))
        #expect(try device.verdict(.biometry, in: context) == .refused(.biometryLockedOut))
        #expect(try device.verdict(.deviceOwner, in: context) == .needs(.passcode))
        // Earlier proofs stay valid.
        #expect(try device.verdict(.biometry, in: proved) == .granted)
        try device.expectDone(VerifyPasscode(passcode("1234")))
        #expect(try device.biometry.missesLeft == 5)
        #expect(try device.match(for: context) == .matched(.rightIndex))
    }

    @Test("a match makes good the misses before it") func matchForgives() throws {
        let device = try TestDevice.withFinger()
        let context = try device.openContext()
        device.sensor.give(.notMatched, .notMatched, .notMatched, .notMatched, .matched(nil), .notMatched)
        var outcomes: [MatchOutcome] = []
        for _ in 0..<6 { outcomes.append(try device.match(for: context)) }
        #expect(outcomes.suffix(2) == [.matched(nil), .notMatched(missesLeft: 4)])
    }

    struct Unusable: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let rule: VerdictRule
        let prepare: @Sendable (TestDevice) throws -> Void
    }

    static let unusable: [Unusable] =
        SensorObstacle.allCases.map { obstacle in
            let rule: VerdictRule =
                switch obstacle {
                case .disconnected: .biometryDisconnected
                case .notPaired: .biometryNotPaired
                default: .biometryNotAvailable
                }
            return Unusable(testDescription: "\(obstacle)", rule: rule) { $0.sensor.obstacle = obstacle }
        } + [
            Unusable(testDescription: "no finger", rule: .biometryNotEnrolled) {
                $0.sensor.remove(finger: .rightIndex)
            },
            Unusable(testDescription: "no passcode", rule: .passcodeNotSet) {
                try $0.expectDone(RemovePasscode(passcode("1234")))
            },
            Unusable(testDescription: "restart", rule: .biometryLockedOut) { $0.enclave.restart() },
            Unusable(testDescription: "two days", rule: .biometryLockedOut) { $0.clock.advance(by: 48 * 3600) },
            Unusable(testDescription: "remote lock", rule: .biometryLockedOut) {
                try $0.expectDone(LockRemotely())
            },
        ]

    @Test("where no finger counts none is waited for, and the rule says why", arguments: unusable)
    func refused(_ row: Unusable) throws {
        let device = try TestDevice.withFinger()
        let context = try device.openContext()
        try row.prepare(device)
        #expect(try device.match(for: context) == .refused(row.rule))
        #expect(try device.biometry.obstacle == row.rule)
        #expect(try device.verdict(.biometry, in: context) == .refused(row.rule))
        let owner = try device.verdict(.deviceOwner, in: context)
        #expect(owner == (row.rule == .passcodeNotSet ? .refused(.passcodeNotSet) : .needs(.passcode)))
        #expect(device.sensor.mostAtOnce == 0)
    }

    @Test("a sensor that goes away in the middle is named", arguments: SensorObstacle.allCases)
    func goesAway(_ obstacle: SensorObstacle) throws {
        let device = try TestDevice.withFinger()
        device.sensor.give(.unavailable(obstacle))
        #expect(try device.match(for: try device.openContext()) == .refused(obstacle.rule))
        #expect(try device.biometry.missesLeft == 5)
    }

    @Test("a wait ends at its deadline, at once if that is now", arguments: [0, -1, .nan, .infinity])
    func deadline(seconds: Double) throws {
        let device = try TestDevice.withFinger()
        #expect(try device.match(for: try device.openContext(), seconds: seconds) == .timedOut)
        #expect(device.sensor.mostAtOnce == 0)
    }

    enum Ending: CaseIterable, Sendable {
        case cancel, close, restart, erase, lockRemotely
    }

    @Test(
        "the program that began a wait, or the device, can end it; nothing is proved then", arguments: Ending.allCases)
    func ended(_ ending: Ending) throws {
        let device = try TestDevice.withFinger()
        let context = try device.openContext()
        let other = try device.openContext()
        let pending = Pending { try? device.match(for: context) }
        device.sensor.waitForMatch()
        try device.expectDone(CancelMatch(other))
        #expect(!pending.isThere)
        switch ending {
        case .cancel: try device.expectDone(CancelMatch(context))
        case .close: try device.expectDone(CloseContext(context))
        case .restart: device.enclave.restart()
        case .erase: try device.expectDone(EraseDevice(passcode: passcode("1234")))
        case .lockRemotely: try device.expectDone(LockRemotely())
        }
        #expect(pending.value == .cancelled)
    }

    @Test("a match that comes after its wait was ended proves nothing") func late() throws {
        let device = try TestDevice.withFinger()
        let context = try device.openContext()
        device.sensor.answerLate()
        let pending = Pending { try? device.match(for: context) }
        device.sensor.waitForMatch()
        try device.expectDone(CancelMatch(context))
        #expect(!pending.isThere)
        device.sensor.give(.matched(.rightIndex))
        #expect(pending.value == .cancelled)
        #expect(try device.verdict(.biometry, in: context) == .needs(.match))
    }

    @Test("a match that comes after the deadline proves nothing") func afterDeadline() throws {
        let device = try TestDevice.withFinger()
        let context = try device.openContext()
        device.sensor.answerAfterDeadline()
        device.sensor.give(.matched(.rightIndex))
        #expect(try device.match(for: context, seconds: 0.05) == .timedOut)
        #expect(device.sensor.mostAtOnce == 1)
        #expect(try device.verdict(.biometry, in: context) == .needs(.match))
    }

    @Test("a miss that comes after its wait was ended is counted all the same") func lateMiss() throws {
        let device = try TestDevice.withFinger()
        let context = try device.openContext()
        device.sensor.answerLate()
        let pending = Pending { try? device.match(for: context) }
        device.sensor.waitForMatch()
        try device.expectDone(CloseContext(context))
        device.sensor.give(.notMatched)
        #expect(pending.value == .cancelled)
        #expect(try device.biometry.missesLeft == 4)
    }

    @Test("one wait at a time; the second has its turn when the first is over") func turns() throws {
        let device = try TestDevice.withFinger()
        let (first, second) = (try device.openContext(), try device.openContext())
        let one = Pending { try? device.match(for: first) }
        device.sensor.waitForMatch()
        let two = Pending { try? device.match(for: second) }
        device.enclave.testOnlyWaitForLine(of: 2)
        device.sensor.give(.matched(.rightIndex))
        #expect(one.value == .matched(.rightIndex))
        #expect(try device.verdict(.biometry, in: first) == .granted)
        #expect(try device.verdict(.biometry, in: second) == .needs(.match))
        device.sensor.give(.notMatched)
        #expect(two.value == .notMatched(missesLeft: 4))
        #expect(device.sensor.mostAtOnce == 1)
    }

    @Test("who waits for a turn can be cancelled, and the deadline runs meanwhile") func turnEnds() throws {
        let device = try TestDevice.withFinger()
        let (first, second) = (try device.openContext(), try device.openContext())
        let one = Pending { try? device.match(for: first) }
        device.sensor.waitForMatch()
        let two = Pending { try? device.match(for: second) }
        device.enclave.testOnlyWaitForLine(of: 2)
        try device.expectDone(CancelMatch(second))
        #expect(two.value == .cancelled)
        #expect(try device.match(for: second, seconds: 0) == .timedOut)
        #expect(try device.match(for: second, seconds: 0.01) == .timedOut)
        #expect(!one.isThere)
        device.sensor.give(.matched(nil))
        #expect(one.value == .matched(nil))
    }

    @Test("biometry locked out while a program waits for a turn: no touch is asked for") func lockedOutInLine() throws {
        let device = try TestDevice.withFinger()
        let (first, second) = (try device.openContext(), try device.openContext())
        device.sensor.give(.notMatched, .notMatched, .notMatched, .notMatched)
        for _ in 0..<4 { _ = try device.match(for: first) }
        let one = Pending { try? device.match(for: first) }
        device.sensor.waitForMatch()
        let two = Pending { try? device.match(for: second) }
        device.enclave.testOnlyWaitForLine(of: 2)
        device.sensor.give(.notMatched)
        #expect(one.value == .notMatched(missesLeft: 0))
        #expect(two.value == .refused(.biometryLockedOut))
    }

    @Test("a match does not count if the fingers changed while it was awaited") func changedMeanwhile() throws {
        let device = try TestDevice.withFinger()
        let context = try device.openContext()
        let sensor = device.sensor
        sensor.atEndOfMatch { sensor.enroll(.leftThumb) }
        sensor.give(.matched(.leftThumb))
        #expect(try device.match(for: context) == .unclear(.again))
        #expect(try device.verdict(.biometry, in: context) == .needs(.match))
    }

    @Test("a match does not count if the passcode went and came back while it was awaited") func passcodeMeanwhile()
        throws
    {
        let device = try TestDevice.withFinger()
        let context = try device.openContext()
        device.sensor.atEndOfMatch {
            _ = try? device.enclave.ask(RemovePasscode(passcode("1234")))
            _ = try? device.enclave.ask(SetPasscode(passcode("1234")))
        }
        device.sensor.give(.matched(nil))
        #expect(try device.match(for: context) == .refused(.biometryLockedOut))
        #expect(try device.verdict(.biometry, in: context) == .needs(.match))
    }

    @Test("keys are opened while a program waits for a finger") func noLockHeld() throws {
        let device = try TestDevice.withFinger()
        let proved = try device.matchedContext()
        let item = try device.item(.biometryCurrentSet)
        let waiting = try device.openContext()
        let pending = Pending { try? device.match(for: waiting) }
        device.sensor.waitForMatch()
        #expect(device.refusalToOpen(item, with: proved) == nil)
        #expect(try device.verdict(.biometry, in: proved) == .granted)
        try device.expectDone(UnlockDevice(passcode("1234")))
        try device.expectDone(LockDevice(immediately: true))
        #expect(device.refusalToOpen(item, with: proved) == .locked)
        #expect(!pending.isThere)
        device.sensor.give(.matched(nil))
        #expect(pending.value == .matched(nil))
    }
}
