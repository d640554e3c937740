public import Foundation
import LatchkeySyncStore

/// Several virtual devices that share their synchronizable items, as the devices of one person do.
///
/// The devices are ordinary ``VirtualDevice``s, with the passcode ``passcode``. Nothing travels by itself: ``settle()`` lets every device
/// exchange what it has, until nothing is pending. So a test decides what each device knows.
///
/// ```swift
/// let lab = try SyncLaboratory(devices: ["phone", "laptop"], seed: 42)
/// let phone = lab["phone"].install("com.example.notes", team: "A1B2C3D4E5")
/// let laptop = lab["laptop"].install("com.example.notes", team: "A1B2C3D4E5")
/// phone.run { SecItemAdd(query, nil) }
/// try lab.settle()
/// laptop.run { SecItemCopyMatching(find, &result) }
/// ```
///
/// Items take part with `kSecAttrSynchronizable`, a class that may leave the device, and a group of a team or one that begins with
/// `group.`; the apps of the devices need such a group.
public final class SyncLaboratory: Sendable, CustomStringConvertible {
    /// The passcode of every device at the beginning.
    public static let passcode = "1234"

    public let seed: UInt64
    /// The names of the devices, in the order in which they were given.
    public let names: [String]
    private let members: [String: LaboratoryMember]
    private let objects: LaboratoryStore

    /// Makes devices that are in one circle and have nothing to exchange.
    ///
    /// - Parameters:
    ///   - names: at least one; the first founds the circle.
    ///   - seed: for the random bytes of all devices; chosen by chance if nil.
    ///   - store: the place where the devices leave what they have for each other.
    /// - Throws: ``VirtualDeviceError`` if a device cannot be made, or does not come into the circle.
    public init(
        devices names: [String], seed: UInt64? = nil, store: Store = .memory
    ) throws(VirtualDeviceError) {
        precondition(!names.isEmpty && Set(names).count == names.count, "devices need names of their own")
        let seed = seed ?? .random(in: .min ... .max)
        let objects = LaboratoryStore(names)
        var members: [String: LaboratoryMember] = [:]
        for (number, name) in names.enumerated() {
            let device = try VirtualDevice(seed: seed &+ UInt64(number))
            try device.setPasscode(Self.passcode)
            let stores: any CircleStores =
                switch store {
                case .memory: objects.stores(of: name)
                case .folder(let folder): FolderCircles(in: folder.path)
                }
            members[name] = try LaboratoryMember(name, device, stores)
        }
        self.seed = seed
        self.names = names
        self.members = members
        self.objects = objects
        let founder = member(names[0])
        try founder.found(SeededEntropy(seed: ~seed))
        for name in names.dropFirst() {
            try member(name).join(by: founder)
        }
        try settle()
    }

    /// The device of a name.
    public subscript(name: String) -> VirtualDevice { member(name).device }

    private func member(_ name: String) -> LaboratoryMember {
        guard let member = members[name] else { preconditionFailure("the laboratory has no device named \(name)") }
        return member
    }

    // MARK: Exchanging

    /// Lets the devices exchange what they have until none of them has anything new, and moves their clocks as far as that takes.
    ///
    /// A device that is locked exchanges what it can; the rest waits until it is unlocked, and for the next call.
    ///
    /// - Throws: ``VirtualDeviceError/Code/syncFailed`` if that does not end.
    public func settle() throws(VirtualDeviceError) {
        for _ in 0..<Self.rounds {
            let before = progress
            for name in names { try member(name).exchange() }
            guard progress == before else { continue }
            // Acknowledgements, and other things that wait for a time, come now.
            for _ in 0..<Self.steps {
                for name in names { try member(name).advance(by: .seconds(30)) }
                for name in names { try member(name).exchange() }
            }
            if progress == before { return }
        }
        throw VirtualDeviceError(
            .syncFailed, "settle", reason: "The devices still have something to exchange after \(Self.rounds) rounds.",
            advice: "Repeat the test with the seed \(seed), and look at the alarms.")
    }

    private static let rounds = 60
    private static let steps = 3

    /// Everything that the store and the devices have.
    private var progress: [String: UInt64] {
        members.mapValues(\.progress)
    }

    // MARK: The store

    /// The store of a laboratory.
    public enum Store: Sendable {
        /// The memory of this process, which can be divided.
        case memory
        /// A folder that exists, in the form in which any program can copy it between machines.
        case folder(URL)
    }

    /// Divides the devices: no side sees what another writes, until ``heal()``. Devices that are not named stay where they are. A
    /// folder is not divided.
    public func partition(_ sides: [String]...) {
        objects.divide(sides)
    }

    /// Ends a partition.
    public func heal() { objects.unite() }

    /// The objects that the store in memory has: the bytes into which an operator of the store could look.
    public var storedBytes: [[UInt8]] { Array(objects.objects.values) }

    // MARK: The circle

    /// Removes a device from the circle: the others go on under new keys. The items stay on the device.
    ///
    /// - Parameter remover: another device, unlocked.
    public func remove(_ name: String, by remover: String) throws(VirtualDeviceError) {
        try member(remover).remove(member(name))
    }

    /// The names of the devices that a device takes for members.
    public func members(accordingTo name: String) -> Set<String> {
        let known = member(name).knownMembers
        return Set(names.filter { member($0).identifier.map(known.contains) ?? false })
    }

    /// The versions of items that lost against others and are kept, on all devices.
    public var conflicts: [SyncConflict] {
        get throws(VirtualDeviceError) {
            var all: [SyncConflict] = []
            for name in names { all += try member(name).conflicts() }
            return all
        }
    }

    /// Restores a version that is kept, as a change that its device makes now: ``settle()`` takes it to the others. The version
    /// that it replaces is kept in its place.
    ///
    /// - Throws: ``VirtualDeviceError/Code/syncFailed`` if the device does not keep the version any more, or if the item's
    ///   class is locked.
    public func restore(_ conflict: SyncConflict) throws(VirtualDeviceError) {
        try member(conflict.device).restore(conflict)
    }

    /// The conditions that the devices show, without duplicates.
    public var alarms: Set<SyncLaboratoryAlarm> {
        Set(members.values.flatMap(\.alarms))
    }

    public var description: String { "SyncLaboratory(devices: \(names), seed: \(seed))" }
}

/// A condition of sync that a device shows until it ends.
public enum SyncLaboratoryAlarm: Sendable, Hashable {
    /// The device was restored from an old copy, or runs twice.
    case identityDuplicated
    /// The same of another device.
    case deviceDuplicated
    /// A device says that it has something else under the number that another one has, too.
    case contradicted
    /// A device says that it has changes of this one that this one does not know.
    case ownChangesUnknown
    case storeRolledBack
    case objectsWithheld
    case malformedRecords
    case diverged
}
