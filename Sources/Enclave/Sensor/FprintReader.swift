import LatchkeyEnclaveContract
import LatchkeyThreading

/// The fingerprint reader behind root's fprintd, for one operation: one connection, one thread.
///
/// All requests go to the process that owned the service's name when this object was made, and only its replies are
/// accepted; the process must belong to root. When it ends, the reader counts as disconnected.
final class FprintReader {
    static let service = "net.reactivated.Fprint"
    private static let deviceInterface = "net.reactivated.Fprint.Device"
    private static let ownerChanged = "org.freedesktop.DBus.NameOwnerChanged"

    /// A report of the service about a verification or an enrolment.
    enum Report {
        case finger(String)
        case verification(String, isDone: Bool)
        case enrolment(String, isDone: Bool)
    }

    private let connection: BusConnection
    /// The unique name of the service's process.
    private let owner: String
    private let device: BusObject
    private let manager: BusObject

    /// Longer than starting the service takes.
    static let callSeconds = 5.0

    /// Finds the reader; starts the service if it is not running and can be started.
    init(_ place: BusPlace, until cancellation: Cancellation?) throws(BusFailure) {
        let wait = BusWait(cancellation, seconds: Self.callSeconds)
        connection = try BusConnection(place)
        try connection.subscribe(
            "type='signal',sender='org.freedesktop.DBus',path='/org/freedesktop/DBus',"
                + "interface='org.freedesktop.DBus',member='NameOwnerChanged',arg0='\(Self.service)'", wait)
        owner = try Self.owner(connection, wait)
        let user = try connection.call(.bus, "GetConnectionUnixUser", [owner], within: wait).readUInt32()
        // Another user's service counts as missing.
        guard user == place.trustedUser else { throw .refused("org.freedesktop.DBus.Error.ServiceUnknown") }
        manager = BusObject(
            service: owner, path: "/net/reactivated/Fprint/Manager", interface: "net.reactivated.Fprint.Manager")
        let path = try connection.call(manager, "GetDefaultDevice", within: wait).readPath()
        device = BusObject(service: owner, path: path, interface: Self.deviceInterface)
        // Starting the service was the last change before this point.
        connection.forgetSignals { _ in true }
    }

    /// Returns the reader's name for people.
    func name(_ wait: BusWait) throws(BusFailure) -> String {
        let answer = try property("name", wait)
        try answer.enterVariant(of: "s")
        return try answer.readString()
    }

    /// Returns how many times an enrolment reads the finger; 0 if the reader does not report it.
    func stages(_ wait: BusWait) throws(BusFailure) -> Int {
        let answer = try property("num-enroll-stages", wait)
        try answer.enterVariant(of: "i")
        return max(0, Int(try answer.readInt32()))
    }

    func fingers(of user: String, _ wait: BusWait) throws(BusFailure) -> [Finger] {
        do throws(BusFailure) {
            return try connection.call(device, "ListEnrolledFingers", [user], within: wait).readList()
                .compactMap(Finger.init(rawValue:))
        } catch {
            if error.hasNoPrints { return [] }
            throw error
        }
    }

    /// Claims the reader for this user alone. If another program has claimed it, tries again until the wait ends.
    func claim(for user: String, asksPerson: Bool = false, within wait: BusWait) throws(BusFailure) {
        var pause: Int32 = 10
        while true {
            do throws(BusFailure) {
                let patience = asksPerson ? wait : BusWait(wait.cancellation, seconds: Self.callSeconds)
                return try call("Claim", [user], asksPerson: asksPerson, within: patience)
            } catch {
                guard error.isBusy else { throw error }
                // The service does not announce that a reader has become free.
                if wait.end == nil { wait.poll(-1, 0, atMost: pause) }
                if wait.end != nil { throw wait.cancellation?.isCancelled == true ? .ended : error }
                pause = min(250, pause * 2)
            }
        }
    }

    /// Starts to wait for any finger of the user. Earlier reports do not count.
    func startVerifying(_ wait: BusWait) throws(BusFailure) {
        connection.believe(owner)
        try subscribe(wait)
        connection.forgetSignals { $0.subject != Self.ownerChanged }
        try call("VerifyStart", ["any"], within: BusWait(wait.cancellation, seconds: Self.callSeconds))
    }

    func stopVerifying(_ wait: BusWait) throws(BusFailure) {
        _ = try connection.call(device, "VerifyStop", within: wait)
    }

    /// Starts to read a finger. The service may first ask a person for permission.
    func startEnrolling(_ finger: Finger, _ wait: BusWait) throws(BusFailure) {
        connection.believe(owner)
        try subscribe(wait)
        connection.forgetSignals { $0.subject != Self.ownerChanged }
        try call("EnrollStart", [finger.rawValue], asksPerson: true, within: wait)
    }

    func stopEnrolling(_ wait: BusWait) throws(BusFailure) {
        _ = try connection.call(device, "EnrollStop", within: wait)
    }

    /// Deletes a finger; nil deletes all fingers of the user who claimed the reader.
    func delete(_ finger: Finger?, _ wait: BusWait) throws(BusFailure) {
        if let finger {
            try call("DeleteEnrolledFinger", [finger.rawValue], asksPerson: true, within: wait)
        } else {
            try call("DeleteEnrolledFingers2", asksPerson: true, within: wait)
        }
    }

    func release(_ wait: BusWait) throws(BusFailure) {
        _ = try connection.call(device, "Release", within: wait)
    }

    /// Returns the next report of the service about this reader.
    func nextReport(_ wait: BusWait) throws(BusFailure) -> Report {
        while true {
            let signal = try connection.nextSignal(wait)
            if signal.sender == BusObject.bus.service {
                // The process that received the request has lost the name, for whatever reason.
                if signal.subject == Self.ownerChanged { throw .lost }
                continue
            }
            guard signal.sender == owner, signal.path == device.path else { continue }
            switch signal.subject {
            case Self.deviceInterface + ".VerifyFingerSelected": return .finger(try signal.readString())
            case Self.deviceInterface + ".VerifyStatus":
                return .verification(try signal.readString(), isDone: try signal.readBool())
            case Self.deviceInterface + ".EnrollStatus":
                return .enrolment(try signal.readString(), isDone: try signal.readBool())
            default: continue
            }
        }
    }

    /// Returns true if the reader was unplugged. fprintd lists a reader for a moment after that, until it is idle, so
    /// the list is read more than once. Without a reply, the state of the reader is unknown.
    func isGone(_ cancellation: Cancellation?) -> Bool {
        let wait = BusWait(cancellation, seconds: Self.callSeconds)
        for pause: Int32 in [0, 10, 20, 40, 80, 160] {
            wait.poll(-1, 0, atMost: pause)
            do throws(BusFailure) {
                let listed = try connection.call(manager, "GetDevices", within: wait).readList(of: "o")
                if !listed.contains(device.path) { return true }
            } catch {
                return error.obstacle(hadReader: true) == .disconnected
            }
        }
        return false
    }

    /// Calls a method of the reader. fprintd reports a reader that is being unplugged in the same way as a broken one.
    private func call(
        _ member: String, _ arguments: [String] = [], asksPerson: Bool = false, within wait: BusWait
    ) throws(BusFailure) {
        do throws(BusFailure) {
            _ = try connection.call(device, member, arguments, asksPerson: asksPerson, within: wait)
        } catch {
            guard case .refused = error, error.obstacle == .failed, !error.hasNoPrints, isGone(wait.cancellation) else {
                throw error
            }
            throw .lost
        }
    }

    private func property(_ name: String, _ wait: BusWait) throws(BusFailure) -> BusMessage {
        try connection.call(
            device.with(interface: "org.freedesktop.DBus.Properties"), "Get", [Self.deviceInterface, name], within: wait
        )
    }

    private func subscribe(_ wait: BusWait) throws(BusFailure) {
        try connection.subscribe(
            "type='signal',sender='\(owner)',path='\(device.path)',interface='\(Self.deviceInterface)'",
            BusWait(wait.cancellation, seconds: Self.callSeconds))
    }

    private static func owner(_ connection: BusConnection, _ wait: BusWait) throws(BusFailure) -> String {
        do throws(BusFailure) {
            return try connection.call(.bus, "GetNameOwner", [service], within: wait).readString()
        } catch {
            guard error == .refused("org.freedesktop.DBus.Error.NameHasNoOwner") else { throw error }
        }
        _ = try connection.call(.bus, "StartServiceByName", [service], within: wait)
        return try connection.call(.bus, "GetNameOwner", [service], within: wait).readString()
    }
}
