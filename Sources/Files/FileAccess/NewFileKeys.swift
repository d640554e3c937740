import LatchkeyFileFormat
package import LatchkeyKeybag
import LatchkeyKeychainMessages
package import LatchkeySecretMemory

/// The key of a file that is to be made, with the identifier that it is bound to.
package struct NewFileKey: Sendable {
    package let protection: FileProtection
    package let identifier: FileIdentifier
    package let key: SecretBox
    package let wrapped: [UInt8]
    /// The file, if it was prepared before its place was known.
    private(set) var prepared: UnwrittenFile?

    package init(protection: FileProtection, identifier: FileIdentifier, key: SecretBox, wrapped: [UInt8]) {
        self.protection = protection
        self.identifier = identifier
        self.key = key
        self.wrapped = wrapped
    }

    /// The one file that is made with this key, without its place.
    ///
    /// - Parameter tie: the database that it belongs to, if any.
    func unwritten(tie: FileTie? = nil) throws(FileFailure) -> UnwrittenFile {
        if let prepared, tie == nil { return prepared }
        return try UnwrittenFile(
            identifier: identifier.bytes, fileKey: key, protectionClass: protection.keyClass.rawValue,
            wrappedKey: wrapped, tie: tie)
    }

    mutating func prepare() {
        if prepared == nil { prepared = try? unwritten() }
    }
}

/// Keys for files that will be made soon, so that not every new file asks the device.
///
/// A store of keys ends when the device closes their class: a file that is made while the device is locked would otherwise
/// be of a class that cannot be made then.
final class NewFileKeys: Sendable {
    private struct State {
        var stores: [FileProtection: [NewFileKey]] = [:]
        /// Rises at each lock: keys that were asked for before it are not kept.
        var lockNumber = 0
        /// The class that was asked for last.
        var latest: FileProtection?
    }

    /// The keys of one question: a question takes about as long as 64 keys.
    private static let batchCount = 64

    /// A child of `fork` begins without keys: it has its parent's wrapped ones, and zeros in place of the keys themselves.
    private let state = ProcessMutex(State())

    /// Takes a key, or asks the device for more.
    func take(_ protection: FileProtection, from device: DeviceKeys) throws(AccessFailure) -> NewFileKey {
        let (stored, lockNumber) = state.withLock { state in
            state.latest = protection
            return (state.stores[protection]?.popLast(), state.lockNumber)
        }
        if let stored { return stored }
        var made = try device.make(protection, count: Self.batchCount)
        guard let first = made.popLast() else { throw .refused(.keyNotHere) }
        state.withLock { state in
            guard state.lockNumber == lockNumber else { return }
            state.stores[protection, default: []] += made
        }
        return first
    }

    /// Prepares the next file, which will probably have the class of the latest one.
    func prepareNext() {
        state.withLock { state in
            guard let latest = state.latest, let last = state.stores[latest]?.indices.last else { return }
            state.stores[latest]?[last].prepare()
        }
    }

    /// Forgets the keys of all classes: the device has locked, or is gone.
    func forget() {
        let forgotten = state.withLock { state in
            state.lockNumber += 1
            defer { state.stores = [:] }
            return state.stores
        }
        // Wiped outside of the lock.
        withExtendedLifetime(forgotten) {}
    }
}
