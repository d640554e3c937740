/// The name of an object in the store, as far as the item layer writes it.
package enum ObjectName: Hashable, Sendable {
    case head(DeviceIdentifier)
    case segment(Dot)
    /// Parts count from 0.
    case snapshotPart(DeviceIdentifier, number: UInt64, part: Int)

    /// The only device that writes the object.
    package var writer: DeviceIdentifier {
        switch self {
        case .head(let device), .snapshotPart(let device, _, _): device
        case .segment(let dot): dot.stream.device
        }
    }
}

/// The outcome of sealing an object. The environment keeps the bytes.
package struct ObjectSeal: Hashable, Sendable {
    /// The identity of the object.
    package let hash: ObjectHash
    /// Of the whole object.
    package let byteCount: Int

    package init(hash: ObjectHash, byteCount: Int) {
        self.hash = hash
        self.byteCount = byteCount
    }
}

/// An object that is written once under its name.
package struct SealedObject: Hashable, Sendable {
    package let name: ObjectName
    package let seal: ObjectSeal

    package init(name: ObjectName, seal: ObjectSeal) {
        self.name = name
        self.seal = seal
    }
}
