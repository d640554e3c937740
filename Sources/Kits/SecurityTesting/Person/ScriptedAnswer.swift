public import LocalAuthentication

/// The user's answer to the next prompt of the device.
///
/// While the device waits for a finger, the next answer decides whether the sensor answers (``match(_:)``,
/// ``mismatch``, ``unclear``, ``unplug``, ``busy``) or the user at the screen (``cancel``, ``fallback``,
/// ``systemCancel``, ``timeout``, ``fail(_:)``).
public enum ScriptedAnswer: Sendable, Hashable {
    /// Lays a finger on the sensor. One that is not enrolled does not match.
    case match(Finger)
    /// Lays a stranger's finger on the sensor.
    case mismatch
    /// Lays a finger on the sensor so that it cannot be read: counts as nothing, and the sensor waits further.
    case unclear
    /// Chooses "Cancel".
    case cancel
    /// Chooses the other way: "Enter Passcode", or what the app calls it.
    case fallback
    /// Types the passcode of the device, right or wrong.
    case passcode(String)
    /// Types a password where the app's item asks for one.
    case applicationPassword(String)
    /// The system takes the question away, as for a phone call.
    case systemCancel
    /// The user does not answer until the deadline, which comes at once.
    case timeout
    /// The sensor goes away while it waits, and stays away until ``VirtualDevice/setSensor(_:)``.
    case unplug
    /// Another program, such as the login screen, has the sensor, this once.
    case busy
    /// The prompt ends with this code, whatever the device makes of it.
    case fail(LAError.Code)

    /// Where this is an answer.
    enum Place: Sendable, Hashable {
        case sensor
        /// At a question of any kind.
        case screen
        case passcode
        case applicationPassword
    }

    var place: Place {
        switch self {
        case .match, .mismatch, .unclear, .unplug, .busy: .sensor
        case .cancel, .fallback, .systemCancel, .timeout, .fail: .screen
        case .passcode: .passcode
        case .applicationPassword: .applicationPassword
        }
    }

    /// Its name, without what was typed.
    var name: String {
        switch self {
        case .match(let finger): ".match(.\(finger))"
        case .mismatch: ".mismatch"
        case .unclear: ".unclear"
        case .cancel: ".cancel"
        case .fallback: ".fallback"
        case .passcode: ".passcode"
        case .applicationPassword: ".applicationPassword"
        case .systemCancel: ".systemCancel"
        case .timeout: ".timeout"
        case .unplug: ".unplug"
        case .busy: ".busy"
        case .fail(let code): ".fail(.\(code))"
        }
    }
}

/// The present state of a virtual device's fingerprint reader.
public enum SensorState: String, Sendable, Hashable, CaseIterable {
    case ready
    /// The device has none.
    case absent
    /// Another program has it.
    case busy
    case unplugged
    case notPaired
}
