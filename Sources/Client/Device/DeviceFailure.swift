/// The failure to reach or open a device: what happened, why, and what to do, for people.
package struct DeviceFailure: Error, Sendable, CustomStringConvertible {
    package enum Code: String, Sendable {
        case badLocation = "device-location"
        case unreachable = "device-unreachable"
        case inUse = "device-in-use"
        case unsafePermissions = "device-permissions"
        case storage = "device-storage"
        case damaged = "device-damaged"
    }

    package let code: Code
    package let description: String

    package init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
