import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeySecretMemory
import Synchronization

extension VirtualDevice {
    /// Sets the first passcode. The device is unlocked afterwards.
    public func setPasscode(_ new: String) throws(VirtualDeviceError) {
        try perform(SetPasscode(SecretBox(new)), "setPasscode")
        passcode.withLock { $0 = new }
    }

    public func changePasscode(from current: String, to new: String) throws(VirtualDeviceError) {
        try perform(ChangePasscode(from: SecretBox(current), to: SecretBox(new)), "changePasscode")
        passcode.withLock { $0 = new }
    }

    /// Removes the passcode, and with it every item that is protected by
    /// `kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly`.
    public func removePasscode(_ current: String) throws(VirtualDeviceError) {
        try perform(RemovePasscode(SecretBox(current)), "removePasscode")
        passcode.withLock { $0 = nil }
    }

    public func unlock(_ passcode: String) throws(VirtualDeviceError) {
        try perform(UnlockDevice(SecretBox(passcode)), "unlock")
    }

    /// Locks the device. Keys go at once, or `withGrace` at the end of the grace period (10 s), as on a phone.
    public func lock(withGrace: Bool = false) throws(VirtualDeviceError) {
        try perform(LockDevice(immediately: !withGrace), "lock")
    }

    /// Moves the clock of an embedded device: dates of items, grace periods and delays after wrong passcodes follow.
    /// - Throws: ``VirtualDeviceError`` for processes, which have the machine's clock.
    public func advance(by duration: Duration) throws(VirtualDeviceError) {
        try watchingOpenFiles { () throws(VirtualDeviceError) in try stage.advance(by: duration) }
    }

    /// Switches the device off and on: with a passcode it is locked before first unlock afterwards.
    public func reboot() throws(VirtualDeviceError) {
        try stage.reboot()
        forgetRemoteChanges()
    }

    /// Erases everything, as from the settings: no passcode, no items. The apps stay usable.
    public func erase() throws(VirtualDeviceError) {
        let current = passcode.withLock { $0 }
        try perform(EraseDevice(passcode: current.map { SecretBox($0) }), "erase")
        passcode.withLock { $0 = nil }
    }

    /// Sets that ten wrong passcodes erase the device; they disable it otherwise.
    public func setErasesAfterTenFailures(_ isOn: Bool) throws(VirtualDeviceError) {
        let current = passcode.withLock { $0 }
        try perform(
            ConfigureDevice(
                passcode: current.map { SecretBox($0) }, eraseAfterTenFailures: isOn, gracePeriodSeconds: nil),
            "setErasesAfterTenFailures")
    }

    /// Sets the time for which the unused device stays unlocked, from a minute to a day; nil: it does not lock by
    /// itself. On a device with a clock of its own ``advance(by:)`` lets the time pass.
    public func setAutoLock(after time: Duration?) throws(VirtualDeviceError) {
        let current = passcode.withLock { $0 }
        try perform(
            ConfigureDevice(
                passcode: current.map { SecretBox($0) }, eraseAfterTenFailures: nil, gracePeriodSeconds: nil,
                lockAfterSeconds: time.map { $0 / .seconds(1) } ?? 0),
            "setAutoLock")
    }

    /// The device's present status.
    public var status: Status {
        get throws(VirtualDeviceError) {
            Status(try answer(to: DescribeDevice(), "status"))
        }
    }

    @discardableResult
    func perform<Question: ForwardedQuestion>(
        _ question: Question, _ call: String
    ) throws(VirtualDeviceError) -> Question.Answer {
        try answer(to: Forwarded(question), call)
    }

    func answer<Question: DeviceQuestion>(
        to question: Question, _ call: String
    ) throws(VirtualDeviceError) -> Question.Answer {
        let keychain = try ownersKeychain(call)
        do throws(DeviceRefusal) {
            return try keychain.ask(question)
        } catch {
            switch error {
            case .refused(let refusal): throw VirtualDeviceError(refusal, call, of: self)
            case .unreachable(let refusal): throw .unreachable(refusal, call, of: self)
            // Of what this kit asks, the keychain's own rules decline backups and sync alone.
            case .declined(_, let refusal):
                throw VirtualDeviceError(
                    refusal.rule?.part == .sync ? .syncFailed : .backupFailed, call, reason: refusal.reason,
                    advice: refusal.advice, of: self)
            }
        }
    }
}

extension SecretBox {
    /// A passcode of a test.
    fileprivate convenience init(_ passcode: String) {
        self.init(copying: Array(passcode.utf8))
    }
}
