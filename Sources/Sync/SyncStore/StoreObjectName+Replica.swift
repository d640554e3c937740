package import LatchkeySyncCore

/// The names that the rules of `SyncCore` use, and those of the store.
extension StoreObjectName {
    package init(_ name: ObjectName) {
        switch name {
        case .head(let device): self = .head(device)
        case .segment(let dot): self = .segment(dot)
        case .snapshotPart(let device, let number, let part):
            self = .snapshotPart(device, number: number, part: UInt16(clamping: part))
        }
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
