import LatchkeyKeychainMessages
import LatchkeySyncService
import LatchkeySyncStore

/// The implementation of a device: objects, or processes.
protocol DeviceStage: Sendable {
    /// The keychain as `caller` sees it now; asked for anew for every call, because a reboot changes it.
    func keychain(for caller: Caller) -> any Keychain
    func advance(by duration: Duration) throws(VirtualDeviceError)
    /// Nil for a device that has the machine's clock.
    var clock: VirtualClock? { get }
    func reboot() throws(VirtualDeviceError)
    /// Switches the device off, and leaves its files. Nothing happens to one that is off.
    func stop() throws(VirtualDeviceError)
    /// Switches it on again on its files. Nothing happens to one that is on.
    func start() throws(VirtualDeviceError)
    var isRunning: Bool { get }
    /// Deletes every item of the groups, as the removal of an app may.
    func deleteItems(inAccessGroups groups: [String]) throws(VirtualDeviceError)
    /// Returns the parts with which this device shares items; nil if it is off, or if its processes have them.
    func syncParts(named name: String, _ stores: any CircleStores) -> SyncParts?
    /// Ends the device. May be called more than once.
    func close()
}
