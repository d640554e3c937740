package import LatchkeyKeybag

/// What a wrapped key is for. It is mixed into the wrapping key, so that a key wrapped for one use opens for no other.
package enum KeyUse: UInt8, Sendable, CaseIterable {
    /// Encrypts the secret of one item.
    case item = 1
    /// Encrypts the attributes of the items of one class.
    case metadata = 2
    /// Computes the search tokens of a device.
    case search = 3
    /// A key of the enclave's own: it wraps the number or seed itself, which is never given out.
    case signing = 4
}

/// A key that only the enclave can open. `binding` (the serialised access control of an item, else empty) is mixed
/// into the wrapping key: altered, the key is lost.
package struct WrappedKey: Sendable, Equatable {
    static let byteLimit = 256

    package let keyClass: KeyClass
    package let use: KeyUse
    package let binding: [UInt8]
    package let bytes: [UInt8]

    package init(keyClass: KeyClass, use: KeyUse, binding: [UInt8], bytes: [UInt8]) {
        self.keyClass = keyClass
        self.use = use
        self.binding = binding
        self.bytes = bytes
    }
}
