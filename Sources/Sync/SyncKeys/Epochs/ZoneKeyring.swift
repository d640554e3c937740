package import LatchkeySecretMemory
package import LatchkeySyncCore

/// A secret that a keyring has, and that the enclave wraps for storing.
package enum KeyringSubject: Hashable, Sendable {
    /// The key of a zone in an epoch, by the statement of the epoch.
    case zoneKey(ObjectHash, ZoneClass)
    case circleSecret

    /// The zone whose lock states apply.
    package var zone: ZoneClass {
        switch self {
        case .zoneKey(_, let zone): zone
        case .circleSecret: .c
        }
    }

    /// The length of ``binding(in:)``.
    package static let bindingByteCount = 49

    /// The bytes to which the wrapping is bound: zone, or 3 for the circle secret (1) || circle (16) || statement of the
    /// epoch, or zeros (32).
    package func binding(in circle: CircleIdentifier) -> [UInt8] {
        switch self {
        case .zoneKey(let epoch, let zone): [zone.rawValue] + circle.bytes + epoch.bytes
        case .circleSecret: [3] + circle.bytes + [UInt8](repeating: 0, count: ObjectHash.byteCount)
        }
    }
}

/// A secret of a keyring as it is stored.
package struct StoredKeyringEntry: Hashable, Sendable {
    package let subject: KeyringSubject
    /// Only the enclave of this device can unwrap it.
    package let wrapped: [UInt8]

    package init(_ subject: KeyringSubject, wrapped: [UInt8]) {
        self.subject = subject
        self.wrapped = wrapped
    }
}

/// The wrapping of a keyring's secrets for storing; the enclave outside tests.
package protocol KeyringWrapping: Sendable {
    /// Wraps a secret of 32 bytes under the class key of the subject's zone.
    func wrap(
        _ secret: SecretBox, of subject: KeyringSubject, in circle: CircleIdentifier
    ) throws(SyncKeyFailure) -> [UInt8]

    /// Unwraps secrets. The result has one element for each entry, in their order.
    func unwrap(
        _ entries: [StoredKeyringEntry], in circle: CircleIdentifier
    ) throws(SyncKeyFailure) -> [Result<SecretBox, SyncKeyFailure>]
}

/// The zone keys of all epochs that a device can open, and the circle secret. They are in locked memory.
package struct ZoneKeyring: Sendable {
    package let circle: CircleIdentifier
    private var keys = PerZone<[ObjectHash: ZoneKey]>(both: [:])
    package private(set) var circleSecret: CircleSecret? {
        didSet { circleKeys = circleSecret.map { CircleKeys($0, of: circle) } }
    }
    /// The keys that the circle secret gives.
    package private(set) var circleKeys: CircleKeys?

    /// Makes an empty keyring.
    package init(of circle: CircleIdentifier) {
        self.circle = circle
    }

    package func key(of epoch: ObjectHash, _ zone: ZoneClass) -> ZoneKey? { keys[zone][epoch] }

    /// Returns the epochs whose key of a zone is here.
    package func epochs(_ zone: ZoneClass) -> Set<ObjectHash> { Set(keys[zone].keys) }

    /// Returns a secret; nil if it is not here.
    package func secret(of subject: KeyringSubject) -> SecretBox? {
        switch subject {
        case .zoneKey(let epoch, let zone): key(of: epoch, zone)?.secret
        case .circleSecret: circleSecret?.secret
        }
    }

    /// Adds the keys of an epoch that this device has written.
    package mutating func add(_ epochKeys: EpochKeys, of epoch: ObjectHash) {
        add(epochKeys.a, of: epoch, .a)
        add(epochKeys.c, of: epoch, .c)
        add(epochKeys.circleSecret)
    }

    mutating func add(_ key: ZoneKey, of epoch: ObjectHash, _ zone: ZoneClass) { keys[zone][epoch] = key }

    /// Adds the circle secret. It never changes: one that is here stays.
    mutating func add(_ secret: CircleSecret) {
        if circleSecret == nil { circleSecret = secret }
    }

    /// Forgets the keys of zone A: the device was locked. They are wiped unless a caller still has them.
    package mutating func lock() { keys.a = [:] }

    /// Forgets everything: the device left, was removed, or is before its first unlock.
    package mutating func forgetAll() {
        keys = PerZone(both: [:])
        circleSecret = nil
    }
}

/// Storing and restoring.
extension ZoneKeyring {
    /// Wraps secrets that are here for storing. Others are left out.
    package func stored(
        _ subjects: some Sequence<KeyringSubject>, by wrapping: some KeyringWrapping
    ) throws(SyncKeyFailure) -> [StoredKeyringEntry] {
        var entries: [StoredKeyringEntry] = []
        for subject in subjects {
            guard let secret = secret(of: subject) else { continue }
            entries.append(
                StoredKeyringEntry(subject, wrapped: try wrapping.wrap(secret, of: subject, in: circle)))
        }
        return entries
    }

    /// Unwraps what is stored and not here yet.
    /// - Returns: the entries that were not unwrapped, and why. Those of zone A are locked while the device is.
    package mutating func restore(
        _ entries: [StoredKeyringEntry], by wrapping: some KeyringWrapping
    ) throws(SyncKeyFailure) -> [KeyringSubject: SyncKeyFailure] {
        let missing = entries.filter { secret(of: $0.subject) == nil }
        var failures: [KeyringSubject: SyncKeyFailure] = [:]
        guard !missing.isEmpty else { return failures }
        for (entry, result) in zip(missing, try wrapping.unwrap(missing, in: circle)) {
            switch (entry.subject, result) {
            case (let subject, .failure(let failure)):
                failures[subject] = failure
            case (.zoneKey(let epoch, let zone), .success(let secret)):
                if let key = ZoneKey(secret) { add(key, of: epoch, zone) } else { failures[entry.subject] = .damaged }
            case (.circleSecret, .success(let secret)):
                if let secret = CircleSecret(secret) { add(secret) } else { failures[entry.subject] = .damaged }
            }
        }
        return failures
    }
}
