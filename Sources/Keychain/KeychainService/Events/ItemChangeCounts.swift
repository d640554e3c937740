import LatchkeyEncoding
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeychainMessages

/// The changes of the items of each access group since the device was opened.
///
/// A caller gets one number, that of the changes in its own groups: nothing in it depends on other groups.
struct ItemChangeCounts {
    struct Tally: Equatable {
        var count: Int64 = 0
        /// The time of the last change.
        var last: Uptime = 0

        fileprivate mutating func add(_ changes: Int64, at time: Uptime) {
            count += changes
            last = max(last, time)
        }

        fileprivate mutating func add(_ other: Self) {
            add(other.count, at: other.last)
        }
    }

    /// The number of groups that are counted apart. With more the counting begins anew.
    static let groupLimit = 65_536
    /// More than the changes of all groups together, so that every caller gets another number.
    private static let leap: Int64 = 1 << 40

    private var ofGroup: [[UInt8]: Tally] = [:]
    private var ofNetworkExtensions = Tally()
    private var ofAnyGroup = Tally()
    private var ofEveryCaller = Tally()

    private static let networkExtensionSuffix = Array(AccessGroupList.networkExtensionSuffix.utf8)

    mutating func note(_ changes: ChangedGroups, at time: Uptime) {
        if changes.isEverything { ofEveryCaller.add(Self.leap, at: time) }
        for group in changes.groups {
            ofGroup[group, default: Tally()].add(1, at: time)
            ofAnyGroup.add(1, at: time)
            if group.ends(with: Self.networkExtensionSuffix) { ofNetworkExtensions.add(1, at: time) }
        }
        guard ofGroup.count > Self.groupLimit else { return }
        // Every caller looks once more than needed.
        ofGroup = [:]
        ofEveryCaller.add(Self.leap, at: time)
    }

    /// The changes that a caller may know of.
    func tally(for caller: Caller) -> Tally {
        var tally = ofEveryCaller
        guard !caller.isDenied else { return tally }
        if caller.accessGroups.contains(AccessGroupList.everything) {
            tally.add(ofAnyGroup)
            return tally
        }
        for group in Set(caller.accessGroups.map { Array($0.utf8) }) {
            // Counted below.
            if caller.sharesNetworkExtensions, group.ends(with: Self.networkExtensionSuffix) { continue }
            if let changes = ofGroup[group] { tally.add(changes) }
        }
        if caller.sharesNetworkExtensions { tally.add(ofNetworkExtensions) }
        return tally
    }
}

extension [UInt8] {
    fileprivate func ends(with suffix: [UInt8]) -> Bool {
        count >= suffix.count && self[(count - suffix.count)...].elementsEqual(suffix)
    }
}
