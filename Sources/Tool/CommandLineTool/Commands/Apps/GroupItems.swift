import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPlainText

/// The number of items in each access group. The device tells it to every program that may ask for the list of apps.
struct GroupItems {
    private let counts: [String: Int64]

    init(_ device: DeviceAccess) throws(CommandFailure) {
        // An erasure would end all items, so its counts are complete.
        counts = try device.endings(.erasure).counts
    }

    func count(_ group: String) -> Int64 { counts[group] ?? 0 }

    var ofOwner: Int64 { count(OwnersGroup.name) }

    /// True if items belong to the group: none belong to the groups that stand for all tokens' keys and for everything.
    func mayHold(_ group: String) -> Bool { AccessGroupList.isOwnable(group) || group == OwnersGroup.name }

    /// A group with its number of items, for a list.
    func line(_ group: String) -> String {
        guard mayHold(group) else { return PlainText.escaped(group) }
        return "\(PlainText.escaped(group))  \(ItemCount.text(count(group)))"
    }
}
