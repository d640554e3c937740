import LatchkeyAccessControl
import LatchkeyItemModel
package import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import Synchronization

/// The notice to a user who stores an item that no lock protects.
package enum AlwaysReadableNotice {
    package static let text =
        "latchkey: note: items of the class always are never locked: anyone who has the device can read them. "
        + "after-first-unlock is open in the background too, once the device was unlocked.\n"

    private static let wasGiven = Atomic(false)

    /// Writes the notice, once in each process: an import stores thousands of items.
    static func give() {
        guard !wasGiven.exchange(true, ordering: .relaxed) else { return }
        StandardError.write(text)
    }

    /// Tells whether a call stores such an item, or makes an item one.
    package static func isDue(for request: ItemRequest) -> Bool {
        switch request.operation {
        case .add: request.query.contains { isAlways($0) }
        case .update: request.changes.contains { isAlways($0) }
        case .find, .delete: false
        }
    }

    /// The same of a key for the enclave.
    package static func isDue(for question: CreateEnclaveKey) -> Bool {
        question.accessControl.protection.isAlwaysReadable
    }

    private static func isAlways(_ pair: QueryPair) -> Bool {
        switch (pair.name, pair.value) {
        case (.accessible?, .string(let code)): ProtectionClass(rawValue: code)?.isAlwaysReadable ?? false
        case (.accessControl?, let value): AccessControl(value)?.protection.isAlwaysReadable ?? false
        default: false
        }
    }
}
