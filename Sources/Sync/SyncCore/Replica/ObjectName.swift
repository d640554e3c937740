/// The name of an object in the store, as far as the item layer writes it.
package enum ObjectName: Hashable, Sendable {
    case head(DeviceIdentifier)
    case segment(Dot)
    case snapshot(DeviceIdentifier, number: UInt64)

    /// The only device that writes the object.
    package var writer: DeviceIdentifier {
        switch self {
        case .head(let device), .snapshot(let device, _): device
        case .segment(let dot): dot.stream.device
        }
    }
}

/// An object that is written once under its name.
package enum StoredObject: Hashable, Sendable {
    case segment(Segment)
    case snapshot(Snapshot)

    package var name: ObjectName {
        switch self {
        case .segment(let segment): .segment(segment.dot)
        case .snapshot(let snapshot): .snapshot(snapshot.device, number: snapshot.number)
        }
    }

    package var hash: ObjectHash {
        switch self {
        case .segment(let segment): segment.hash
        case .snapshot(let snapshot): snapshot.hash
        }
    }
}
