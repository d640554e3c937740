import LatchkeyEnclaveContract
import LatchkeyEnclaveService
import LatchkeyKeybag
import Testing

/// The class keys that work in each state: the whole table, written out.
@Suite struct LockStateTableTests {
    enum Moment: String, CaseIterable, Sendable {
        case noPasscode, beforeFirstUnlock, unlocked, gracePeriod, locked, unlockedAgain
    }

    struct Row: Sendable {
        let keyClass: KeyClass
        /// The moments at which a key of the class opens.
        let opens: Set<Moment>
        /// The moments at which a key of the class can be made.
        let makes: Set<Moment>

        init(_ keyClass: KeyClass, _ opens: Set<Moment>, makes: Set<Moment>? = nil) {
            self.keyClass = keyClass
            self.opens = opens
            self.makes = makes ?? opens
        }
    }

    static let whileUnlocked: Set<Moment> = [.noPasscode, .unlocked, .gracePeriod, .unlockedAgain]
    static let fromFirstUnlock: Set<Moment> = [.noPasscode, .unlocked, .gracePeriod, .locked, .unlockedAgain]
    static let always = Set(Moment.allCases)

    static let table = [
        Row(.fileComplete, whileUnlocked),
        // Class B: files can be made at any time with the public half.
        Row(.fileCompleteUnlessOpen, whileUnlocked, makes: always),
        Row(.fileUntilFirstUserAuthentication, fromFirstUnlock),
        Row(.fileNone, always),
        Row(.whenUnlocked, whileUnlocked),
        Row(.afterFirstUnlock, fromFirstUnlock),
        Row(.always, always),
        Row(.whenUnlockedThisDeviceOnly, whileUnlocked),
        Row(.afterFirstUnlockThisDeviceOnly, fromFirstUnlock),
        Row(.alwaysThisDeviceOnly, always),
        Row(.whenPasscodeSetThisDeviceOnly, [.unlocked, .gracePeriod, .unlockedAgain]),
    ]

    @Test("the table has every class") func tableIsComplete() {
        #expect(Set(Self.table.map(\.keyClass)) == Set(KeyClass.allCases))
    }

    @Test("a class key works in exactly the states of the table", arguments: table, Moment.allCases)
    func keyWorks(_ row: Row, at moment: Moment) throws {
        let device = try TestDevice()
        var key = try? device.create(row.keyClass).get()
        try device.bring(to: moment) {
            if row.keyClass == .whenPasscodeSetThisDeviceOnly { key = try device.create(row.keyClass).get() }
        }

        let missing = row.keyClass == .whenPasscodeSetThisDeviceOnly && moment == .noPasscode
        let expected: KeyRefusal? = missing ? .classKeyMissing : .locked
        if let key {
            #expect(device.refusalToOpen(key) == (row.opens.contains(moment) ? nil : expected))
        } else {
            #expect(missing)
        }
        switch device.create(row.keyClass) {
        case .success: #expect(row.makes.contains(moment))
        case .failure(let refusal):
            #expect(!row.makes.contains(moment))
            #expect(refusal == expected)
        }
    }

    @Test("the reported state is the state", arguments: Moment.allCases)
    func reportedState(at moment: Moment) throws {
        let device = moment == .noPasscode ? try TestDevice() : try TestDevice.withPasscode()
        let expected: LockState
        switch moment {
        case .noPasscode: expected = .noPasscode
        case .unlocked: expected = .unlocked
        case .beforeFirstUnlock:
            device.enclave.restart()
            expected = .beforeFirstUnlock
        case .gracePeriod:
            try device.expectDone(LockDevice(immediately: false))
            expected = .locked
        case .locked:
            try device.expectDone(LockDevice(immediately: true))
            expected = .locked
        case .unlockedAgain:
            try device.expectDone(LockDevice(immediately: true))
            try device.expectDone(UnlockDevice(passcode("1234")))
            expected = .unlocked
        }
        #expect(try device.status.lockState == expected)
        #expect(try device.status.hasPasscode == (moment != .noPasscode))
        #expect(try (device.status.graceSecondsLeft != nil) == (moment == .gracePeriod))
    }
}

extension TestDevice {
    /// Brings a device without a passcode to a moment of the table.
    /// - Parameter withPasscode: runs when the passcode is set, and the device unlocked.
    func bring(to moment: LockStateTableTests.Moment, withPasscode: () throws -> Void = {}) throws {
        guard moment != .noPasscode else { return }
        try expectDone(SetPasscode(passcode("1234")))
        try withPasscode()
        switch moment {
        case .noPasscode, .unlocked:
            break
        case .beforeFirstUnlock:
            enclave.restart()
        case .gracePeriod:
            try expectDone(LockDevice(immediately: false))
        case .locked:
            try expectDone(LockDevice(immediately: true))
        case .unlockedAgain:
            try expectDone(LockDevice(immediately: true))
            try expectDone(UnlockDevice(passcode("1234")))
        }
    }
}
