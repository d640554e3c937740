/// A party that signs statements and receives zone keys: a device, or the holder of recovery keys.
package enum CircleParty: Hashable, Sendable, Comparable {
    case device(DeviceIdentifier)
    case recovery(RecoveryIdentifier)

    package var device: DeviceIdentifier? {
        if case .device(let device) = self { device } else { nil }
    }

    package static let byteCount = 17

    /// A byte that tells the cases apart, and the identifier. The order of parties is that of these bytes.
    package var bytes: [UInt8] {
        switch self {
        case .device(let device): [1] + device.bytes
        case .recovery(let recovery): [2] + recovery.bytes
        }
    }

    init?(_ bytes: ArraySlice<UInt8>) {
        switch bytes.first {
        case 1:
            guard let device = DeviceIdentifier(bytes.dropFirst()) else { return nil }
            self = .device(device)
        case 2:
            guard let recovery = RecoveryIdentifier(bytes.dropFirst()) else { return nil }
            self = .recovery(recovery)
        default:
            return nil
        }
    }

    package static func < (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.device(let left), .device(let right)): left < right
        case (.recovery(let left), .recovery(let right)): left < right
        case (.device, .recovery): true
        case (.recovery, .device): false
        }
    }
}

/// The public keys of a party.
package enum PartyKeys: Hashable, Sendable {
    case device(DevicePublicKeys)
    case recovery(RecoveryPublicKeys)

    package var party: CircleParty {
        switch self {
        case .device(let keys): .device(keys.identifier)
        case .recovery(let keys): .recovery(keys.identifier)
        }
    }
}
