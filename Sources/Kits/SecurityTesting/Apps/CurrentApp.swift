import LatchkeyDevice
import LatchkeyKeychainMessages
import Synchronization

/// The one app that is current for the whole process, and whose device it is.
enum CurrentApp {
    private static let owner = Mutex<ObjectIdentifier?>(nil)

    static func begin(_ keychain: any Keychain, of device: VirtualDevice) {
        owner.withLock { owner in
            owner = ObjectIdentifier(device)
            CurrentKeychain.makeCurrent(keychain)
        }
    }

    /// Ends it, if it is an app of this device.
    static func end(of device: VirtualDevice) {
        owner.withLock { owner in
            guard owner == ObjectIdentifier(device) else { return }
            owner = nil
            CurrentKeychain.makeCurrent(nil)
        }
    }
}
