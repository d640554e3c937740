package import LatchkeyKeybag

/// The classes of files that can be used in a lock state of the device.
package struct FileAvailability {
    private let state: LockState

    package init(_ state: LockState) {
        self.state = state
    }

    package func canOpen(_ protection: FileProtection) -> Bool { state.allows(protection.keyClass) }

    /// Keys of "complete unless open" are made with the public half of the class key.
    package func canCreate(_ protection: FileProtection) -> Bool {
        protection == .completeUnlessOpen || canOpen(protection)
    }

    var json: JSONValue {
        .array(
            FileClassName.table.map { row in
                .object([
                    ("class", .string(row.protection.rawValue)), ("canOpen", .boolean(canOpen(row.protection))),
                    ("canCreate", .boolean(canCreate(row.protection))),
                ])
            })
    }

    /// For `latchkey status`.
    package var text: String {
        guard state != .noPasscode else { return "all classes open: without a passcode the device is never locked" }
        let open = FileClassName.table.filter { canOpen($0.protection) }.map(\.name)
        let closed = FileClassName.table.filter { !canOpen($0.protection) }.map(\.name)
        guard !closed.isEmpty else { return "all classes open" }
        return "open: \(open.joined(separator: ", ")); closed: \(closed.joined(separator: ", "))"
    }
}
