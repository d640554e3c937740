import LatchkeyAccessControl
import LatchkeyEnclaveCore
import LatchkeyEnclaveService
import LatchkeyEnclaveStorage
import Testing

@Suite struct ContextTests {
    @Test("a context that was never opened, or was closed, is unknown to every request") func unknown() throws {
        let device = try TestDevice.withFinger()
        let closed = try device.matchedContext()
        try device.expectDone(.context(.close(closed)))
        let never = try #require(ContextIdentifier([UInt8](repeating: 9, count: 16)))
        for context in [closed, never] {
            let requests: [ContextRequest] = [
                .close(context), .allowReuse(seconds: 3, context), .assess(.policy(.deviceOwner), context),
                .matchFinger(seconds: 60, context), .cancelMatch(context), .offerPasscode(passcode("1234"), context),
                .offerPasscode(passcode("wrong"), context), .setApplicationPassword(passcode("x"), context),
                .setApplicationPassword(nil, context),
            ]
            for request in requests {
                guard case .context(.unknown) = device.enclave.perform(.context(request)) else {
                    Issue.record("\(request) is answered for a context that is not open")
                    continue
                }
            }
        }
        #expect(try device.status.failedAttempts == 0, "a passcode was tried for nobody")
    }

    @Test("contexts do not share what they were proved") func separate() throws {
        let device = try TestDevice.withFinger()
        let first = try device.matchedContext()
        let second = try device.openContext()
        #expect(first != second)
        #expect(try device.verdict(.biometry, in: first) == .granted)
        #expect(try device.verdict(.biometry, in: second) == .needs(.match))
        try device.expectDone(.context(.offerPasscode(passcode("1234"), second)))
        #expect(try device.verdict(.biometry, in: second) == .needs(.match))
        #expect(try device.verdict(.deviceOwner, in: second) == .granted)
    }

    @Test("as many contexts as the limit says, then idle ones make room after a day") func limit() throws {
        let device = try TestDevice()
        var contexts: [ContextIdentifier] = []
        for _ in 0..<EnclaveLimits.contexts { contexts.append(try device.openContext()) }
        #expect(Set(contexts).count == EnclaveLimits.contexts)
        guard case .context(.tooMany) = device.enclave.perform(.context(.open)) else { throw Unexpected() }
        try device.expectDone(.context(.close(contexts[0])))
        _ = try device.openContext()
        guard case .context(.tooMany) = device.enclave.perform(.context(.open)) else { throw Unexpected() }

        device.clock.advance(by: 23 * 3600)
        _ = try device.verdict(.deviceOwner, in: contexts[1])
        guard case .context(.tooMany) = device.enclave.perform(.context(.open)) else { throw Unexpected() }
        device.clock.advance(by: 3601)
        _ = try device.openContext()
        _ = try device.verdict(.deviceOwner, in: contexts[1])
        guard case .context(.unknown) = device.enclave.perform(.context(.close(contexts[2]))) else {
            throw Unexpected()
        }
    }

    @Test("a wrong passcode counts as a try like every other and proves nothing") func wrongPasscode() throws {
        let device = try TestDevice.withFinger()
        let context = try device.openContext()
        #expect(
            try device.refusal(of: .context(.offerPasscode(passcode("0000"), context)))
                == .wrongPasscode(attemptsLeft: 9))
        #expect(try device.refusal(of: .context(.offerPasscode(passcode("0000"), context))) == .sameWrongPasscode)
        #expect(try device.refusal(of: .unlock(passcode: passcode("1111"))) == .wrongPasscode(attemptsLeft: 8))
        #expect(try device.status.failedAttempts == 2)
        #expect(try device.verdict(.deviceOwner, in: context) == .needs([.match, .passcode]))
        try device.expectDone(.context(.offerPasscode(passcode("1234"), context)))
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
        try device.expectDone(.lock(immediately: true))
        #expect(try device.verdict(.deviceOwner, in: context) == .granted)
        try device.expectDone(.changePasscode(current: passcode("1234"), new: passcode("5678")))
        #expect(try device.verdict(.deviceOwner, in: context) == .granted)
    }

    enum End: String, CaseIterable, Sendable {
        case restart, erase, removePasscode, removeAndSetPasscode, lockRemotely, elsewhere
    }

    @Test("and ends with the device's era", arguments: End.allCases, [true, false])
    func ends(_ end: End, byFinger: Bool) throws {
        let device = try TestDevice.withFinger()
        let context = byFinger ? try device.matchedContext() : try device.passcodeContext()
        try device.expectDone(.context(.allowReuse(seconds: 300, context)))
        var expected = Verdict.needs(.passcode)
        switch end {
        case .restart:
            device.enclave.restart()
        case .erase:
            try device.expectDone(.erase(passcode: passcode("1234")))
            expected = .refused(.passcodeNotSet)
        case .removePasscode:
            try device.expectDone(.removePasscode(current: passcode("1234")))
            expected = .refused(.passcodeNotSet)
        case .removeAndSetPasscode:
            try device.expectDone(.removePasscode(current: passcode("1234")))
            try device.expectDone(.setPasscode(new: passcode("1234")))
            expected = .needs([.match, .passcode])
        case .lockRemotely:
            try device.expectDone(.biometry(.lockRemotely))
        case .elsewhere:
            try device.reopened().expectDone(.erase(passcode: passcode("1234")))
            expected = .refused(.passcodeNotSet)
        }
        #expect(try device.verdict(.deviceOwner, in: context) == expected)
        // The context itself goes on.
        if expected == .needs(.passcode) {
            try device.expectDone(.context(.offerPasscode(passcode("1234"), context)))
            #expect(try device.verdict(.deviceOwner, in: context) == .granted)
        }
    }

    @Test("the verdict on an access control knows the lock state") func lockState() throws {
        let device = try TestDevice.withFinger()
        let context = try device.passcodeContext()
        let control = try device.bound(.userPresence)
        #expect(try device.verdict(on: .accessControl(control, .decrypt), in: context) == .granted)
        #expect(try device.verdict(on: .accessControl(control, .sign), in: context) == .refused(.operationNotGranted))
        try device.expectDone(.lock(immediately: true))
        #expect(try device.verdict(on: .accessControl(control, .decrypt), in: context) == .refused(.classKeyLocked))
        #expect(try device.verdict(on: .accessControl(control, .delete), in: context) == .granted)
        let reboot = AccessControl(protection: .untilReboot)
        #expect(try device.verdict(on: .accessControl(reboot, .decrypt), in: context) == .refused(.classKeyMissing))
    }
}
