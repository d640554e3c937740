import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPlainText

/// How many items each access group has. The device tells it to every program that may ask for the list of apps.
struct GroupItems {
    private let counts: [String: Int64]

    init(_ device: DeviceAccess) throws(CommandFailure) {
        // What an erasure would end is all there is.
        counts = try device.endings(.erasure).counts
    }

    func count(_ group: String) -> Int64 { counts[group] ?? 0 }

    var ofOwner: Int64 { count(OwnersGroup.name) }

    /// A group with its number of items, for a list.
    func line(_ group: String) -> String {
        // The groups of all tokens' keys and of everything are no groups that items are in.
        guard AccessGroupList.isOwnable(group) || group == OwnersGroup.name else { return PlainText.escaped(group) }
        return "\(PlainText.escaped(group))  \(ItemCount.text(count(group)))"
    }

    /// The owner's items, which belong to no app, as a member of a list of apps.
    ///
    /// - Parameter perGroup: the list has the number of items by group, and not by app.
    func json(perGroup: Bool) -> JSONValue {
        .object([
            ("app", .string(OwnersGroup.name)), ("isOwnersGroup", .boolean(true)),
            ("accessGroups", .array([.string(OwnersGroup.name)])),
            ("items", perGroup ? .object([(OwnersGroup.name, .integer(ofOwner))]) : .integer(ofOwner)),
        ])
    }
}
