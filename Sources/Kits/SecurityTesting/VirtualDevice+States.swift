import LatchkeyEnclaveCore
import LatchkeyKeybag
import LatchkeyKeychainMessages
import LatchkeyKeychainService
import LatchkeySecretMemory
import Synchronization

extension VirtualDevice {
    /// Sets the first passcode. The device is unlocked afterwards.
    public func setPasscode(_ new: String) throws {
        try perform(.setPasscode(new: SecretBox(new)), "setPasscode")
        passcode.withLock { $0 = new }
    }

    public func changePasscode(from current: String, to new: String) throws {
        try perform(.changePasscode(current: SecretBox(current), new: SecretBox(new)), "changePasscode")
        passcode.withLock { $0 = new }
    }

    /// Removes the passcode, and with it every item that is protected by
    /// `kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly`.
    public func removePasscode(_ current: String) throws {
        try perform(.removePasscode(current: SecretBox(current)), "removePasscode")
        passcode.withLock { $0 = nil }
    }

    public func unlock(_ passcode: String) throws {
        try perform(.unlock(passcode: SecretBox(passcode)), "unlock")
    }

    /// Locks the device. Keys go at once, or `withGrace` at the end of the grace period (10 s), as on a phone.
    public func lock(withGrace: Bool = false) throws {
        try perform(.lock(immediately: !withGrace), "lock")
    }

    /// Moves the clock of an embedded device: dates of items, grace periods and delays after wrong passcodes follow.
    /// - Throws: ``VirtualDeviceError`` for processes, which have the machine's clock.
    public func advance(by duration: Duration) throws {
        try stage.advance(by: duration)
    }

    /// Switches the device off and on: with a passcode it is locked before first unlock afterwards.
    public func reboot() throws {
        try stage.reboot()
    }

    /// Erases everything, as from the settings: no passcode, no items. The apps stay usable.
    public func erase() throws {
        let current = passcode.withLock { $0 }
        try perform(.erase(passcode: current.map { SecretBox($0) }), "erase")
        passcode.withLock { $0 = nil }
    }

    /// Whether ten wrong passcodes erase the device; they disable it otherwise.
    public func setErasesAfterTenFailures(_ isOn: Bool) throws {
        let current = passcode.withLock { $0 }
        try perform(
            .configure(
                passcode: current.map { SecretBox($0) }, eraseAfterTenFailures: isOn, gracePeriodSeconds: nil),
            "setErasesAfterTenFailures")
    }

    /// Sets the time for which the unused device stays unlocked, from a minute to a day; nil: it does not lock by
    /// itself. On a device with a clock of its own ``advance(by:)`` lets the time pass.
    public func setLocksAfter(_ time: Duration?) throws {
        let current = passcode.withLock { $0 }
        try perform(
            .configure(
                passcode: current.map { SecretBox($0) }, eraseAfterTenFailures: nil, gracePeriodSeconds: nil,
                lockAfterSeconds: time.map { $0 / .seconds(1) } ?? 0),
            "setLocksAfter")
    }

    /// What the device is at the moment.
    public var status: Status {
        get throws {
            guard case .status(let status) = try reply(to: .status, "status") else {
                throw VirtualDeviceError("status: the device gave no status [\(self)]")
            }
            return Status(status)
        }
    }

    private func perform(_ request: DeviceRequest, _ name: String) throws {
        _ = try reply(to: request, name)
    }

    func reply(to request: DeviceRequest, _ name: String) throws -> DeviceReply {
        let reply = stage.keychain(for: Caller(name: "device owner", accessGroups: [])).perform(request)
        if case .refused(let refusal) = reply {
            throw VirtualDeviceError(
                "\(name): \(PasscodeWords.reason(refusal)) \(PasscodeWords.advice(refusal)) [\(self)]")
        }
        if case .unreachable(let refusal) = reply {
            throw VirtualDeviceError("\(name): \(refusal.reason) \(refusal.advice) [\(self)]")
        }
        return reply
    }
}

extension VirtualDevice {
    public enum LockState: String, Sendable, Hashable, CaseIterable {
        /// Always open.
        case noPasscode
        /// Not yet unlocked since the last start.
        case beforeFirstUnlock
        case unlocked
        case locked
    }

    public struct Status: Sendable, Hashable {
        public let lockState: LockState
        public let hasPasscode: Bool
        /// Wrong passcodes in a row.
        public let failedAttempts: Int
        /// Seconds until a passcode is accepted again, 0 if it may be given now.
        public let secondsUntilNextAttempt: Double
        /// After ten wrong passcodes: only ``VirtualDevice/erase()`` helps.
        public let isDisabled: Bool
        /// Items by class (`genp`, `inet`), of all apps.
        public let itemCounts: [String: Int]

        init(_ status: DeviceStatus) {
            lockState =
                switch status.enclave.lockState {
                case .noPasscode: .noPasscode
                case .beforeFirstUnlock: .beforeFirstUnlock
                case .unlocked: .unlocked
                case .locked: .locked
                }
            hasPasscode = status.enclave.hasPasscode
            failedAttempts = status.enclave.failedAttempts
            secondsUntilNextAttempt = status.enclave.secondsUntilNextAttempt
            isDisabled = status.enclave.isDisabled
            itemCounts = status.itemCounts.mapValues { Int(clamping: $0) }
        }
    }
}

extension SecretBox {
    /// A passcode of a test.
    fileprivate convenience init(_ passcode: String) {
        self.init(copying: Array(passcode.utf8))
    }
}
