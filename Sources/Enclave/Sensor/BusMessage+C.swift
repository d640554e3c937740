import CLatchkeySystemd
import Glibc

/// A message of the bus, read from its beginning to its end.
///
/// Belongs to the thread of its connection.
@safe final class BusMessage {
    private let message: OpaquePointer

    /// Takes over the reference.
    init(taking message: OpaquePointer) {
        unsafe self.message = unsafe message
    }

    deinit {
        unsafe sd_bus_message_unref(message)
    }

    enum Kind {
        case signal
        case answer(to: UInt64)
        case failure(of: UInt64, name: String)
        case other
    }

    var kind: Kind {
        var type: UInt8 = 0
        var cookie: UInt64 = 0
        guard unsafe sd_bus_message_get_type(message, &type) >= 0 else { return .other }
        switch Int(type) {
        case Int(SD_BUS_MESSAGE_SIGNAL): return .signal
        case Int(SD_BUS_MESSAGE_METHOD_RETURN):
            return unsafe sd_bus_message_get_reply_cookie(message, &cookie) >= 0 ? .answer(to: cookie) : .other
        case Int(SD_BUS_MESSAGE_METHOD_ERROR):
            guard unsafe sd_bus_message_get_reply_cookie(message, &cookie) >= 0 else { return .other }
            let error = unsafe sd_bus_message_get_error(message)
            return .failure(of: cookie, name: unsafe Self.text(error?.pointee.name))
        default: return .other
        }
    }

    /// Written by the bus, not by the sender.
    var sender: String { unsafe Self.text(sd_bus_message_get_sender(message)) }

    var path: String { unsafe Self.text(sd_bus_message_get_path(message)) }

    /// "interface.member"
    var subject: String {
        unsafe Self.text(sd_bus_message_get_interface(message)) + "."
            + Self.text(sd_bus_message_get_member(message))
    }

    func readString() throws(BusFailure) -> String { try read(Character("s")) }

    func readPath() throws(BusFailure) -> String { try read(Character("o")) }

    func readBool() throws(BusFailure) -> Bool {
        var value: Int32 = 0
        guard unsafe sd_bus_message_read_basic(message, Self.code("b"), &value) > 0 else { throw .malformed }
        return value != 0
    }

    func readUInt32() throws(BusFailure) -> UInt32 {
        var value: UInt32 = 0
        guard unsafe sd_bus_message_read_basic(message, Self.code("u"), &value) > 0 else { throw .malformed }
        return value
    }

    func readInt32() throws(BusFailure) -> Int32 {
        var value: Int32 = 0
        guard unsafe sd_bus_message_read_basic(message, Self.code("i"), &value) > 0 else { throw .malformed }
        return value
    }

    /// Reads an array of strings ("s") or object paths ("o").
    func readList(of type: Character = "s") throws(BusFailure) -> [String] {
        var texts: [String] = []
        guard unsafe sd_bus_message_enter_container(message, Self.code("a"), String(type)) > 0 else {
            throw .malformed
        }
        while true {
            var pointer: UnsafePointer<CChar>?
            let outcome = unsafe sd_bus_message_read_basic(message, Self.code(type), &pointer)
            guard outcome >= 0 else { throw .malformed }
            guard outcome > 0 else { break }
            texts.append(unsafe Self.text(pointer))
        }
        guard unsafe sd_bus_message_exit_container(message) >= 0 else { throw .malformed }
        return texts
    }

    /// Enters a variant of one basic type.
    func enterVariant(of type: String) throws(BusFailure) {
        guard unsafe sd_bus_message_enter_container(message, Self.code("v"), type) > 0 else { throw .malformed }
    }

    private func read(_ type: Character) throws(BusFailure) -> String {
        var pointer: UnsafePointer<CChar>?
        guard unsafe sd_bus_message_read_basic(message, Self.code(type), &pointer) > 0 else { throw .malformed }
        return unsafe Self.text(pointer)
    }

    private static func code(_ type: Character) -> CChar { CChar(type.asciiValue ?? 0) }

    private static func text(_ pointer: UnsafePointer<CChar>?) -> String {
        unsafe pointer.map { unsafe String(cString: $0) } ?? ""
    }
}
