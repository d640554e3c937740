/// How a message begins, by name: enough to see that one is the other.
struct MessageStart: Sendable {
    /// In one call a message may come whole and in another by the byte, so several lengths have names.
    private static let lengths = [16, 8, 4, 2, 1]

    private let names: [Int: Fingerprints.Name]

    init(_ bytes: UnsafeRawBufferPointer, _ fingerprints: Fingerprints) {
        var names: [Int: Fingerprints.Name] = [:]
        for length in Self.lengths where length <= bytes.count {
            names[length] = unsafe fingerprints.name(of: UnsafeRawBufferPointer(rebasing: bytes[..<length]))
        }
        self.names = names
    }

    /// Whether both are the same as far as both are known.
    func isSame(as other: MessageStart) -> Bool {
        guard let length = Self.lengths.first(where: { names[$0] != nil && other.names[$0] != nil }) else {
            return false
        }
        return names[length] == other.names[length]
    }
}
