/// What a virtual device refused to do, why, and what to do about it.
public struct VirtualDeviceError: Error, Sendable, Hashable, CustomStringConvertible {
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
