import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeybag
import LatchkeyKeychainMessages

extension VirtualDevice {
    public enum LockState: String, Sendable, Hashable, CaseIterable {
        /// Always open.
        case noPasscode
        /// Not yet unlocked since the last start.
        case beforeFirstUnlock
        case unlocked
        case locked
    }

    /// A class of items, as `kSecClass` names it. An identity is a certificate and its key, and counts as those.
    public enum ItemClass: Sendable, Hashable, CaseIterable {
        case genericPassword
        case internetPassword
        case certificate
        case key

        /// The value of `kSecClass`, which is also the name in the database.
        var code: String {
            let itemClass: LatchkeyItemModel.ItemClass =
                switch self {
                case .genericPassword: .genericPassword
                case .internetPassword: .internetPassword
                case .certificate: .certificate
                case .key: .key
                }
            return itemClass.rawValue
        }
    }

    /// The state of a device at one moment.
    public struct Status: Sendable, Hashable {
        public let lockState: LockState
        public let hasPasscode: Bool
        /// Wrong passcodes in a row.
        public let failedAttempts: Int
        /// The time until a passcode is accepted again; zero if it may be given now.
        public let timeUntilNextAttempt: Duration
        /// After ten wrong passcodes: only ``VirtualDevice/erase()`` helps.
        public let isDisabled: Bool
        /// The items of all apps. A class without items has the count 0.
        public let itemCounts: [ItemClass: Int]

        init(_ status: DeviceStatus) {
            lockState =
                switch status.enclave.lockState {
                case .noPasscode: .noPasscode
                case .beforeFirstUnlock: .beforeFirstUnlock
                case .unlocked: .unlocked
                case .locked: .locked
                }
            hasPasscode = status.enclave.hasPasscode
            failedAttempts = status.enclave.failedAttempts
            timeUntilNextAttempt = .seconds(status.enclave.secondsUntilNextAttempt)
            isDisabled = status.enclave.isDisabled
            itemCounts = Dictionary(
                uniqueKeysWithValues: ItemClass.allCases.map { ($0, Int(clamping: status.itemCounts[$0.code] ?? 0)) })
        }
    }
}
