/// The beginning of a message, by name: enough to recognise the same beginning.
struct MessageStart: Sendable {
    /// Several lengths have names, because a message may come whole in one call and by the byte in others.
    private static let lengths = [16, 8, 4, 2, 1]

    private let names: [Int: Fingerprints.Name]

    init(_ bytes: UnsafeRawBufferPointer, _ fingerprints: Fingerprints) {
        var names: [Int: Fingerprints.Name] = [:]
        for length in Self.lengths where length <= bytes.count {
            names[length] = unsafe fingerprints.name(of: UnsafeRawBufferPointer(rebasing: bytes[..<length]))
        }
        self.names = names
    }

    /// Returns true if both are the same as far as both are known.
    func isSame(as other: MessageStart) -> Bool {
        guard let length = Self.lengths.first(where: { names[$0] != nil && other.names[$0] != nil }) else {
            return false
        }
        return names[length] == other.names[length]
    }
}
