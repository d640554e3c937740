/// A kind of object in the store.
package enum ObjectKind: UInt8, Hashable, Sendable, CaseIterable {
    case statement = 1
    case head = 2
    case segment = 3
    case snapshotPart = 4
    case invitation = 5
    case joinRequest = 6
    case evidence = 7

    /// The greatest number of bytes of a whole object. Longer ones are refused before they are parsed.
    package var byteLimit: Int {
        switch self {
        case .statement: 256 << 10
        case .invitation, .joinRequest: 16 << 10
        case .head: 32 << 10
        // One record of 1 MiB, its header and its padding.
        case .segment, .snapshotPart: (1 << 20) + (64 << 10)
        // Two objects: statements, heads, or segments of ordinary size.
        case .evidence: 1 << 20
        }
    }
}
