import LatchkeyAccessControl
import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeySecretMemory
import Synchronization

extension VirtualDevice {
    /// Enrols a finger, as from the settings: needs a passcode. A finger enrolled anew is another one to the device.
    public func enroll(_ finger: Finger) throws(VirtualDeviceError) {
        let passcode = try typedPasscode("enroll")
        try perform(BeginEnrolment(of: finger.atSensor, passcode: passcode), "enroll")
        while true {
            let event = try perform(ContinueEnrolment(), "enroll")
            switch event {
            case .completed: return
            case .stage, .unclear: break
            case .failed(let obstacle): throw failure("enroll", obstacle)
            case .duplicate, .ended: throw .unexpected("\(event)", "enroll", of: self)
            }
        }
    }

    /// Removes a finger that is enrolled, as from the settings.
    public func remove(finger: Finger) throws(VirtualDeviceError) {
        try remove(finger as Finger?)
    }

    /// Removes every finger.
    public func removeAllFingers() throws(VirtualDeviceError) {
        try remove(nil)
    }

    /// The fingers that are enrolled.
    public var fingers: Set<Finger> {
        get throws(VirtualDeviceError) {
            let status = try perform(AskBiometry(), "fingers")
            return Set(status.survey.fingers.map { Finger($0) })
        }
    }

    /// Unlocks the device with a finger; one that is not enrolled does not match, and counts.
    /// - Throws: ``VirtualDeviceError`` if the device stays locked.
    public func unlock(with finger: Finger) throws(VirtualDeviceError) {
        person.touch(finger)
        defer { person.forgetTouches() }
        let outcome = try perform(UnlockWithFinger(seconds: 30), "unlock")
        switch outcome {
        case .matched:
            return
        case .notMatched(let missesLeft):
            throw VirtualDeviceError(
                .fingerNotMatched, "unlock", reason: "The finger \(finger) does not match.",
                advice: missesLeft == 0
                    ? "Biometry is locked out: call unlock(_:) with the passcode." : "Try one that is enrolled.",
                of: self)
        case .refused(let rule):
            throw VirtualDeviceError(
                .biometryNotAvailable, "unlock", reason: "No finger counts now (\(Rule(rule).rawValue)).",
                advice: "Call unlock(_:) with the passcode.", of: self)
        case .unclear, .cancelled, .timedOut:
            throw .unexpected("\(outcome)", "unlock", of: self)
        }
    }

    /// Locks the device from afar, as when it was lost: at once, and no finger opens it before the passcode did.
    public func lockRemotely() throws(VirtualDeviceError) {
        try perform(LockRemotely(), "lockRemotely")
    }

    private func remove(_ finger: Finger?) throws(VirtualDeviceError) {
        let passcode = try typedPasscode("remove")
        let removal = try perform(RemoveFinger(finger?.atSensor, passcode: passcode), "remove")
        if case .failed(let obstacle) = removal { throw failure("remove", obstacle) }
    }

    private func typedPasscode(_ call: String) throws(VirtualDeviceError) -> SecretBox {
        guard let current = passcode.withLock({ $0 }) else {
            throw VirtualDeviceError(
                .noPasscodeSet, call, reason: "Fingers need a passcode.", advice: "Call setPasscode(_:) first.",
                of: self)
        }
        return SecretBox(copying: Array(current.utf8))
    }

    private func failure(_ call: String, _ obstacle: SensorObstacle) -> VirtualDeviceError {
        VirtualDeviceError(
            .sensorNotReady, call, reason: "The sensor cannot be used: \(obstacle).",
            advice: "Call setSensor(.ready).", of: self)
    }
}
