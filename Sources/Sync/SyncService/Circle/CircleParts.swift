package import LatchkeyCryptoSuite
package import LatchkeyEnclaveContract
package import LatchkeyEncoding
internal import LatchkeyItemModel
package import LatchkeyKeychainMessages
package import LatchkeyKeychainService
internal import LatchkeySyncCore
internal import LatchkeySyncKeys
package import LatchkeySyncStore

/// The way from a daemon to the stores of circles.
package protocol StoreHost: Sendable {
    /// Returns the circles at a place, which need not be reachable now.
    func circles(at store: StoreAddress) throws(StoreHostFailure) -> any CircleStores
    /// No store is in use any more.
    func release()
}

/// A reason for which a place cannot be used as a store.
package enum StoreHostFailure: Error, Sendable {
    /// The transport of this device was configured for another store.
    case serves(String)
    /// The place is a part of the device, or the device a part of it.
    case holdsDevice
}

/// The parts of a device that its circle needs.
package struct CircleParts: Sendable {
    package let items: SharedItems
    package let enclave: any EnclaveMailbox
    package let host: any StoreHost
    package let clock: any LatchkeyEncoding.DeviceClock
    package let entropy: any Entropy
    /// The system of this device, for the people who have the others.
    package let system: String
    /// Called when work that took long has come to its end, and with it the memory that it needed.
    let afterLongWork: @Sendable () -> Void
    /// True while a caller waits for the circle.
    var isAwaited: @Sendable () -> Bool = { false }

    package init(
        items: SharedItems, enclave: any EnclaveMailbox, host: any StoreHost,
        clock: any LatchkeyEncoding.DeviceClock, entropy: any Entropy, system: String,
        afterLongWork: @escaping @Sendable () -> Void = {}
    ) {
        self.items = items
        self.enclave = enclave
        self.host = host
        self.clock = clock
        self.entropy = entropy
        self.system = system
        self.afterLongWork = afterLongWork
    }

    /// The parts with the circles of a store.
    func sync(_ settings: CirclePlaceSettings) throws(CircleFailure) -> SyncParts {
        guard let description = DeviceDescription(name: settings.deviceName, system: system) else {
            throw CircleFailure(.syncRefused, "the name of the device is too long")
        }
        let stores: any CircleStores
        do throws(StoreHostFailure) {
            stores = try host.circles(at: settings.store)
        } catch {
            switch error {
            case .serves(let other): throw CircleFailure(servedStore: other)
            case .holdsDevice: throw CircleFailure(.param, Refusal(.syncStoreHoldsDevice, settings.store))
            }
        }
        return SyncParts(
            items: items, enclave: enclave, stores: stores, clock: clock, entropy: entropy, description: description,
            limits: settings.store.limits, isAwaited: isAwaited)
    }
}

extension StoreAddress {
    /// The times within which others hear of a change: a folder may be carried, a server tells at once.
    fileprivate var limits: ReplicaLimits {
        switch place {
        case .folder: .folder
        case .etcd: .quickStore
        }
    }
}

/// The place of a circle as this device stores it: the store, and the name of this device there.
struct CirclePlaceSettings: Sendable, Hashable {
    let store: StoreAddress
    let deviceName: String
}
