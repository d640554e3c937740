import LatchkeyAccessControl
import LatchkeyEnclaveCore
import LatchkeyKeychainMessages
import LatchkeySecretMemory
import Synchronization

extension VirtualDevice {
    /// Enrols a finger, as from the settings: needs a passcode. A finger enrolled anew is another one to the device.
    public func enroll(_ finger: Finger) throws {
        let passcode = try typedPasscode("enroll")
        var reply = try biometry(.beginEnrolment(finger.atSensor, passcode: passcode), "enroll")
        while true {
            switch reply {
            case .enrolment(.completed): return
            case .done, .enrolment(.stage), .enrolment(.unclear): break
            case .enrolment(.failed(let obstacle)): throw failure("enroll", obstacle)
            default: throw VirtualDeviceError("enroll: the device answered \(reply) [\(self)]")
            }
            reply = try biometry(.continueEnrolment, "enroll")
        }
    }

    /// Removes a finger that is enrolled, as from the settings.
    public func remove(finger: Finger) throws {
        try remove(finger as Finger?)
    }

    /// Removes every finger.
    public func removeAllFingers() throws {
        try remove(nil)
    }

    /// The fingers that are enrolled.
    public var fingers: Set<Finger> {
        get throws {
            guard case .status(let status) = try biometry(.status, "fingers") else {
                throw VirtualDeviceError("fingers: the device gave no status [\(self)]")
            }
            return Set(status.survey.fingers.map { Finger($0) })
        }
    }

    /// Unlocks the device with a finger; one that is not enrolled does not match, and counts.
    /// - Throws: ``VirtualDeviceError`` if the device stays locked.
    public func unlock(with finger: Finger) throws {
        person.touch(finger)
        defer { person.forgetTouches() }
        switch try biometry(.unlockWithFinger(seconds: 30), "unlock") {
        case .match(.matched), .done:
            return
        case .match(.notMatched(let missesLeft)):
            throw VirtualDeviceError(
                "unlock: the finger \(finger) does not match. "
                    + (missesLeft == 0 ? "Biometry is locked out until the passcode is given." : "Try another one.")
                    + " [\(self)]")
        case .match(.refused(let rule)):
            throw VirtualDeviceError("unlock: no finger counts now (\(rule.rawValue)). Use unlock(_:) [\(self)]")
        case let reply:
            throw VirtualDeviceError("unlock: the device answered \(reply) [\(self)]")
        }
    }

    /// Locks the device from afar, as when it was lost: at once, and no finger opens it before the passcode did.
    public func lockRemotely() throws {
        _ = try biometry(.lockRemotely, "lockRemotely")
    }

    private func remove(_ finger: Finger?) throws {
        let passcode = try typedPasscode("remove")
        let reply = try biometry(.removeFinger(finger?.atSensor, passcode: passcode), "remove")
        if case .removalFailed(let obstacle) = reply { throw failure("remove", obstacle) }
    }

    private func typedPasscode(_ call: String) throws -> SecretBox {
        guard let current = passcode.withLock({ $0 }) else {
            throw VirtualDeviceError("\(call): fingers need a passcode. Call setPasscode first [\(self)]")
        }
        return SecretBox(copying: Array(current.utf8))
    }

    private func biometry(_ request: BiometryRequest, _ name: String) throws -> BiometryReply {
        guard case .biometry(let reply) = try reply(to: .biometry(request), name) else {
            throw VirtualDeviceError("\(name): the device gave no answer about fingers [\(self)]")
        }
        return reply
    }

    private func failure(_ call: String, _ obstacle: SensorObstacle) -> VirtualDeviceError {
        VirtualDeviceError("\(call): the sensor is \(obstacle). Call setSensor(.ready) [\(self)]")
    }
}
