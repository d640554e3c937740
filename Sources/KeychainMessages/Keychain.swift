/// Who makes a call, as the transport or the test found out. The service believes nothing else.
package struct Caller: Sendable, Hashable {
    /// For people: application identifier or executable.
    package let name: String
    /// In the order of the entitlements; the first is the default of an add.
    package let accessGroups: [String]
    /// True for `com.apple.private.keychain.deny`.
    package let isDenied: Bool

    package init(name: String, accessGroups: [String], isDenied: Bool = false) {
        self.name = name
        self.accessGroups = accessGroups
        self.isDenied = isDenied
    }
}

/// A keychain with its device, for one caller: embedded in this process or behind a daemon's socket.
package protocol Keychain: Sendable {
    func perform(_ request: ItemRequest) -> ItemReply
    func perform(_ request: DeviceRequest) -> DeviceReply
}
