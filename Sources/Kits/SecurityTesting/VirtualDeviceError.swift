/// What a virtual device refused to do, why, and what to do about it.
public struct VirtualDeviceError: Error, Sendable, Hashable, CustomStringConvertible {
    public let description: String

    init(_ description: String) {
        self.description = description
    }

    static func closed(_ call: String) -> VirtualDeviceError {
        VirtualDeviceError("\(call): the device was closed.")
    }

    static func notRunning(_ call: String) -> VirtualDeviceError {
        VirtualDeviceError("\(call): the device is switched off or closed. Call start().")
    }
}
