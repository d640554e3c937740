import Foundation
import Security

/// Values in the keychain, by key: strings, data, dates, and everything that is `Codable`.
///
/// ```swift
/// let box = try Lockbox(identifier: "com.example.mail", protection: .whenUnlockedThisDeviceOnly)
/// try box.set("abc", for: "token")
/// let token = try box.string(for: "token")
/// ```
///
/// A box has no default protection: the program chooses. An absent value is nil; every failure is a ``LockboxError``.
/// All of it may be used from any thread, and each call blocks until it is done.
public struct Lockbox: Sendable {
    /// The namespace of all keys: the service of the items.
    public let identifier: String
    /// The protection of values that are set without one of their own.
    public let protection: Protection
    /// The group of the values; nil: the program's first group, and no other of its groups.
    public let accessGroup: String?
    /// The group for nil.
    private let ownGroup = OwnGroup()
    /// True if the values are for all devices of their owner. Boxes with and without this do not see each other's
    /// values.
    public let isSynchronizable: Bool

    /// Makes a box. Two boxes with the same arguments hold the same values.
    ///
    /// - Parameters:
    ///   - identifier: the app's, for instance `com.example.mail`; nil: the identifier of the main bundle, if it has
    ///     one. It does not change when the program is renamed, signed or moved, and the values would be lost if it did.
    ///   - protection: of values that are set without one of their own.
    ///   - accessGroup: a group of the program's entitlements, for values that are shared with other programs; nil:
    ///     the first of the program's groups, where items go that name none. The box finds out which that is at its first
    ///     call, and keeps it: a box is for one program. Values in other groups are not the box's.
    ///   - isSynchronizable: whether values are for all devices of their owner.
    /// - Throws: ``LockboxError/noIdentifier`` and ``LockboxError/contradiction(reason:)``.
    public init(
        identifier: String? = nil, protection: Protection, accessGroup: String? = nil,
        isSynchronizable: Bool = false
    ) throws(LockboxError) {
        guard let identifier = identifier ?? Bundle.main.bundleIdentifier, !identifier.isEmpty else {
            throw .noIdentifier
        }
        self.identifier = identifier
        self.protection = protection
        self.accessGroup = accessGroup
        self.isSynchronizable = isSynchronizable
        _ = try protection.attributes(isSynchronizable: isSynchronizable)
    }

    /// A box of the older library; see ``init(keyPrefix:)``.
    init(prefix: String) {
        identifier = prefix
        protection = .whenUnlocked
        accessGroup = nil
        isSynchronizable = false
    }

    /// The group that every call names.
    func group() throws(LockboxError) -> String {
        if let accessGroup { return accessGroup }
        return try ownGroup.name(service: identifier)
    }
}
