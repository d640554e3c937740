import LatchkeyAccessControl
import LatchkeyEnclaveContract
import LatchkeyEnclaveService
import LatchkeyEnclaveStorage
import LatchkeyTestSupport
import Testing

private protocol AnswerAboutContext {
    var isUnknown: Bool { get }
}

extension ContextAnswer: AnswerAboutContext {
    fileprivate var isUnknown: Bool { if case .unknown = self { true } else { false } }
}

@Suite struct ContextTests {
    @Test("a context that was never opened, or was closed, is unknown to every request") func unknown() throws {
        let device = try TestDevice.withFinger()
        let closed = try device.matchedContext()
        try device.expectDone(CloseContext(closed))
        let never = try #require(ContextIdentifier([UInt8](repeating: 9, count: 16)))
        for context in [closed, never] {
            let questions: [any EnclaveQuestion] = [
                CloseContext(context), AllowReuse(seconds: 3, in: context),
                AssessDemand(.policy(.deviceOwner), in: context), MatchFinger(seconds: 60, in: context),
                CancelMatch(context), OfferPasscode(passcode("1234"), to: context),
                OfferPasscode(passcode("wrong"), to: context), SetApplicationPassword(passcode("x"), in: context),
                SetApplicationPassword(nil, in: context),
            ]
            for question in questions {
                let answer = try device.outcome(of: question).get() as? any AnswerAboutContext
                #expect(answer?.isUnknown == true, "\(question) is answered for a context that is not open")
            }
        }
        #expect(try device.status.failedAttempts == 0, "a passcode was tried without a context")
    }

    @Test("contexts do not share what they were proved") func separate() throws {
        let device = try TestDevice.withFinger()
        let first = try device.matchedContext()
        let second = try device.openContext()
        #expect(first != second)
        #expect(try device.verdict(.biometry, in: first) == .granted)
        #expect(try device.verdict(.biometry, in: second) == .needs(.match))
        try device.expectDone(OfferPasscode(passcode("1234"), to: second))
        #expect(try device.verdict(.biometry, in: second) == .needs(.match))
        #expect(try device.verdict(.deviceOwner, in: second) == .granted)
    }

    @Test("as many contexts as the limit says, then idle ones make room after a day") func limit() throws {
        let device = try TestDevice()
        var contexts: [ContextIdentifier] = []
        for _ in 0..<EnclaveLimits.contexts { contexts.append(try device.openContext()) }
        #expect(Set(contexts).count == EnclaveLimits.contexts)
        #expect(try device.enclave.ask(OpenContext()) == .tooMany)
        try device.expectDone(CloseContext(contexts[0]))
        _ = try device.openContext()
        #expect(try device.enclave.ask(OpenContext()) == .tooMany)

        device.clock.advance(by: 23 * 3600)
        _ = try device.verdict(.deviceOwner, in: contexts[1])
        #expect(try device.enclave.ask(OpenContext()) == .tooMany)
        device.clock.advance(by: 3601)
        _ = try device.openContext()
        _ = try device.verdict(.deviceOwner, in: contexts[1])
        guard case .unknown = try device.enclave.ask(CloseContext(contexts[2])) else {
            throw Unexpected()
        }
    }

    @Test("a wrong passcode counts as a try like every other and proves nothing") func wrongPasscode() throws {
        let device = try TestDevice.withFinger()
        let context = try device.openContext()
        #expect(
            try device.refusal(of: OfferPasscode(passcode("0000"), to: context))
                == .wrongPasscode(attemptsLeft: 9))
        #expect(try device.refusal(of: OfferPasscode(passcode("0000"), to: context)) == .sameWrongPasscode)
        #expect(try device.refusal(of: UnlockDevice(passcode("1111"))) == .wrongPasscode(attemptsLeft: 8))
        #expect(try device.status.failedAttempts == 2)
        #expect(try device.verdict(.deviceOwner, in: context) == .needs([.match, .passcode]))
        try device.expectDone(OfferPasscode(passcode("1234"), to: context))
        #expect(try device.status.failedAttempts == 0)
        #expect(try device.verdict(.deviceOwner, in: context) == .granted)
    }

    @Test("what was proved lasts as long as the context", arguments: [true, false]) func lasts(byFinger: Bool) throws {
        let device = try TestDevice.withFinger()
        let context = byFinger ? try device.matchedContext() : try device.passcodeContext()
        for _ in 0..<4 {
            device.clock.advance(by: 10 * 3600)
            #expect(try device.verdict(.deviceOwner, in: context) == .granted)
        }
        try device.expectDone(LockDevice(immediately: true))
        #expect(try device.verdict(.deviceOwner, in: context) == .granted)
        try device.expectDone(ChangePasscode(from: passcode("1234"), to: passcode("5678")))
        #expect(try device.verdict(.deviceOwner, in: context) == .granted)
    }

    enum End: String, CaseIterable, Sendable {
        case restart, erase, removePasscode, removeAndSetPasscode, lockRemotely, elsewhere
    }

    @Test("and ends with the device's era", arguments: End.allCases, [true, false])
    func ends(_ end: End, byFinger: Bool) throws {
        let device = try TestDevice.withFinger()
        let context = byFinger ? try device.matchedContext() : try device.passcodeContext()
        try device.expectDone(AllowReuse(seconds: 300, in: context))
        var expected = Verdict.needs(.passcode)
        switch end {
        case .restart:
            device.enclave.restart()
        case .erase:
            try device.expectDone(EraseDevice(passcode: passcode("1234")))
            expected = .refused(.passcodeNotSet)
        case .removePasscode:
            try device.expectDone(RemovePasscode(passcode("1234")))
            expected = .refused(.passcodeNotSet)
        case .removeAndSetPasscode:
            try device.expectDone(RemovePasscode(passcode("1234")))
            try device.expectDone(SetPasscode(passcode("1234")))
            expected = .needs([.match, .passcode])
        case .lockRemotely:
            try device.expectDone(LockRemotely())
        case .elsewhere:
            try device.reopened().expectDone(EraseDevice(passcode: passcode("1234")))
            expected = .refused(.passcodeNotSet)
        }
        #expect(try device.verdict(.deviceOwner, in: context) == expected)
        // The context itself goes on.
        if expected == .needs(.passcode) {
            try device.expectDone(OfferPasscode(passcode("1234"), to: context))
            #expect(try device.verdict(.deviceOwner, in: context) == .granted)
        }
    }

    @Test("the verdict on an access control knows the lock state") func lockState() throws {
        let device = try TestDevice.withFinger()
        let context = try device.passcodeContext()
        let control = try device.bound(.userPresence)
        #expect(try device.verdict(on: .accessControl(control, .decrypt), in: context) == .granted)
        #expect(try device.verdict(on: .accessControl(control, .sign), in: context) == .refused(.operationNotGranted))
        try device.expectDone(LockDevice(immediately: true))
        #expect(try device.verdict(on: .accessControl(control, .decrypt), in: context) == .refused(.classKeyLocked))
        #expect(try device.verdict(on: .accessControl(control, .delete), in: context) == .granted)
        let reboot = AccessControl(protection: .untilReboot)
        #expect(try device.verdict(on: .accessControl(reboot, .decrypt), in: context) == .refused(.classKeyMissing))
    }
}
