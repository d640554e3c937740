package import LatchkeySyncCore

/// The names that the rules of `SyncCore` use, and those of the store.
extension StoreObjectName {
    package init(_ dot: Dot) {
        self = .segment(dot)
    }

    /// The names of all parts of a snapshot.
    package static func parts(of device: DeviceIdentifier, number: UInt64, count: UInt16) -> [StoreObjectName] {
        (0..<count).map { .snapshotPart(device, number: number, part: $0) }
    }
}

extension ObjectName {
    /// The object of a replica to which a stored object belongs. Nil for objects of membership and for copies of heads.
    package init?(_ name: StoreObjectName) {
        switch name {
        case .head(let device): self = .head(device)
        case .segment(let dot): self = .segment(dot)
        case .snapshotPart(let device, let number, let part):
            self = .snapshotPart(device, number: number, part: Int(part))
        case .statement, .headCopy, .exchange, .evidence: return nil
        }
    }
}
