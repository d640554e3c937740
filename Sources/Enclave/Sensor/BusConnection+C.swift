import CLatchkeyShims
import CLatchkeySystemd
import Glibc
import LatchkeyThreading

/// An object of a service, with one of its interfaces.
struct BusObject: Sendable {
    let service: String
    let path: String
    let interface: String

    /// The bus itself.
    static let bus = BusObject(
        service: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus")

    func with(interface: String) -> BusObject { BusObject(service: service, path: path, interface: interface) }
}

/// The address of a bus and the trusted user on it.
package struct BusPlace: Sendable {
    /// The standard address of the system's bus.
    package static let standardAddress = "unix:path=/run/dbus/system_bus_socket"

    let address: String
    /// The user who must have opened the bus and must own the service: root.
    let trustedUser: UInt32

    /// - Parameter address: a local socket, `unix:path=…`; all others are refused.
    package init(address: String = Self.standardAddress, testOnlyTrustedUser trustedUser: UInt32 = 0) {
        self.address = address
        self.trustedUser = trustedUser
    }
}

/// A connection to a message bus. Only one thread at a time may use it.
///
/// sd-bus can wait by itself, but not for a ``Cancellation`` at the same time. Every wait is therefore a `poll` of this
/// class, and replies are matched by number instead of callbacks.
@safe final class BusConnection {
    private let bus: OpaquePointer
    /// Unread signals of trusted senders, in the order of arrival.
    private var signals: [BusMessage] = []
    private var believed: Set<String> = [BusObject.bus.service]

    /// Far more signals than a service sends during one call.
    private static let signalLimit = 256

    init(_ place: BusPlace) throws(BusFailure) {
        // Other kinds of address could start a program.
        guard place.address.hasPrefix("unix:"), !place.address.contains(";") else { throw .noBus }
        var made: OpaquePointer?
        guard unsafe sd_bus_new(&made) >= 0, let bus = unsafe made else { throw .noBus }
        unsafe self.bus = unsafe bus
        guard unsafe sd_bus_set_address(bus, place.address) >= 0, unsafe sd_bus_set_bus_client(bus, 1) >= 0,
            unsafe sd_bus_start(bus) >= 0
        else { throw .noBus }
        // An attacker who sets the address of the bus could name another bus, which calls any sender root.
        guard try opener() == place.trustedUser else { throw .noBus }
    }

    deinit {
        unsafe sd_bus_close_unref(bus)
    }

    /// Accepts signals of this sender from now on. The bus delivers only subscribed signals (``subscribe``).
    func believe(_ sender: String) {
        believed.insert(sender)
    }

    /// Subscribes to the signals that the rule describes.
    func subscribe(_ rule: String, _ wait: BusWait) throws(BusFailure) {
        _ = try call(.bus, "AddMatch", [rule], within: wait)
    }

    /// Calls a method and waits for its reply, which only the called service can send.
    func call(
        _ object: BusObject, _ member: String, _ arguments: [String] = [], asksPerson: Bool = false,
        within wait: BusWait
    ) throws(BusFailure) -> BusMessage {
        let number = try send(object, member, arguments, asksPerson: asksPerson)
        while true {
            let message = try next(wait)
            switch message.kind {
            case .answer(to: number) where message.sender == object.service: return message
            case .failure(of: number, let name) where message.sender == object.service: throw .refused(name)
            // The bus replies in place of a service that has ended.
            case .failure(of: number, let name) where message.sender == BusObject.bus.service: throw .refused(name)
            case .signal: keep(message)
            default: break
            }
        }
    }

    /// Returns the next signal of a trusted sender.
    func nextSignal(_ wait: BusWait) throws(BusFailure) -> BusMessage {
        while signals.isEmpty { keep(try next(wait)) }
        return signals.removeFirst()
    }

    /// Drops the matching signals that have arrived.
    func forgetSignals(where isOld: (BusMessage) -> Bool) {
        signals.removeAll(where: isOld)
    }

    private func keep(_ message: BusMessage) {
        guard case .signal = message.kind, believed.contains(message.sender), signals.count < Self.signalLimit else {
            return
        }
        signals.append(message)
    }

    private func send(
        _ object: BusObject, _ member: String, _ arguments: [String], asksPerson: Bool
    ) throws(BusFailure) -> UInt64 {
        var made: OpaquePointer?
        let outcome = unsafe sd_bus_message_new_method_call(
            bus, &made, object.service, object.path, object.interface, member)
        guard outcome >= 0, let message = unsafe made else { throw outcome == -ENOTCONN ? .lost : .malformed }
        defer { unsafe sd_bus_message_unref(message) }
        for argument in arguments {
            let appended = unsafe argument.withCString {
                unsafe sd_bus_message_append_basic(message, CChar(UInt8(ascii: "s")), $0)
            }
            guard appended >= 0 else { throw .malformed }
        }
        // For StartServiceByName, the only method called here with arguments other than strings.
        if member == "StartServiceByName" {
            var flags: UInt32 = 0
            guard unsafe sd_bus_message_append_basic(message, CChar(UInt8(ascii: "u")), &flags) >= 0 else {
                throw .malformed
            }
        }
        if asksPerson { unsafe sd_bus_message_set_allow_interactive_authorization(message, 1) }
        var number: UInt64 = 0
        guard unsafe sd_bus_send(bus, message, &number) >= 0 else { throw .lost }
        return number
    }

    /// Returns the next message of any kind.
    private func next(_ wait: BusWait) throws(BusFailure) -> BusMessage {
        while true {
            var made: OpaquePointer?
            let outcome = unsafe sd_bus_process(bus, &made)
            guard outcome >= 0 else { throw .lost }
            if let message = unsafe made {
                let message = unsafe BusMessage(taking: message)
                // sd-bus sends this to itself when the connection breaks.
                if message.subject == "org.freedesktop.DBus.Local.Disconnected" { throw .lost }
                return message
            }
            if outcome > 0 { continue }
            if let end = wait.end { throw end }
            try poll(wait)
        }
    }

    private func poll(_ wait: BusWait) throws(BusFailure) {
        let events = unsafe sd_bus_get_events(bus)
        let descriptor = unsafe sd_bus_get_fd(bus)
        var moment = UInt64.max
        guard events >= 0, descriptor >= 0, unsafe sd_bus_get_timeout(bus, &moment) >= 0 else { throw .lost }
        var limit: Int32?
        if moment != .max {
            limit = Int32(min(60_000, max(0, (Double(moment) / 1e6 - BusWait.now) * 1000).rounded(.up)))
        }
        wait.poll(descriptor, Int16(truncatingIfNeeded: events), atMost: limit)
    }

    /// Returns the user who opened the socket of the bus.
    private func opener() throws(BusFailure) -> UInt32 {
        let descriptor = unsafe sd_bus_get_fd(bus)
        var peer = lk_socket_identity()
        guard descriptor >= 0, unsafe lk_socket_identify_peer(descriptor, &peer, LK_PIDFD_NONE) == 0 else {
            throw .noBus
        }
        return peer.uid
    }
}
