/// A watch on the items that one caller may read. To be used by one thread at a time; any thread may call ``end()``.
package protocol ItemWatch: Sendable {
    /// Notes the present state: every later change counts. Without it the first ``next()`` does this.
    func begin()
    /// Returns true when items have changed, or may have while the device could not be reached. Blocks. Returns false if the
    /// device is gone for good, has too many watches, or ``end()`` was called.
    func next() -> Bool
    func end()
}

extension Keychain {
    /// Returns a watch without changes, for a keychain without a device.
    package func watchItems() -> any ItemWatch { EndedItemWatch() }
}

/// A watch without changes.
package struct EndedItemWatch: ItemWatch {
    package init() {}

    package func begin() {}

    package func next() -> Bool { false }

    package func end() {}
}
