public import Foundation
import LatchkeyEncoding
import LatchkeySyncCore
import LatchkeySyncKeys
import Synchronization

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
///
/// Everything happens in virtual time and is drawn from the seed: the same script with the same seed has the same run.
public final class SyncLaboratory: Sendable, CustomStringConvertible {
    /// The passcode of every device at the beginning.
    public static let passcode = "1234"

    public let seed: UInt64
    let carrier: LaboratoryCarrier
    let log = LaboratoryLog()
    let state: Mutex<State>
    private let location: StoreLocation

    struct State: Sendable {
        var members: [LaboratoryMember] = []
        /// The devices of all identities that there were.
        var identities: [DeviceIdentifier: VirtualDevice] = [:]
        /// The alarms since the devices settled last.
        var raised: Set<Alarm> = []
        var recovery: RecoveryCode
        /// The time at which each device looks at the store although nothing has told it to.
        var looksAt: [String: Duration] = [:]
        /// The number of devices that were made.
        var deviceCount: UInt64 = 0
        let entropy: SeededEntropy
    }

    /// The place where the devices leave what they have for each other.
    public struct StoreLocation: Sendable {
        let folder: URL?

        /// The memory of this process.
        public static let memory = StoreLocation(folder: nil)

        /// A folder on the disk, in the form of `latchkey sync --store folder:…`: each device has a folder of its name in it, and the
        /// laboratory carries the files, as a program does that copies folders between machines. The devices themselves are those of
        /// this process.
        public static func folder(_ url: URL) -> StoreLocation { StoreLocation(folder: url) }
    }

    /// Makes devices that are in one circle and have nothing to exchange.
    ///
    /// - Parameters:
    ///   - names: at least one; the first founds the circle.
    ///   - seed: for the random bytes of all devices and for the network; chosen by chance if nil.
    ///   - store: the place where the devices leave what they have for each other.
    /// - Throws: ``VirtualDeviceError`` if a device cannot be made, or does not come into the circle.
    public init(
        devices names: [String], seed: UInt64? = nil, store: StoreLocation = .memory
    ) throws(VirtualDeviceError) {
        precondition(!names.isEmpty && Set(names).count == names.count, "devices need names of their own")
        let seed = seed ?? .random(in: .min ... .max)
        self.seed = seed
        location = store
        carrier = LaboratoryCarrier(seed: seed, log: log)
        let entropy = SeededEntropy(seed: ~seed)
        let recovery = RecoveryCode(generating: entropy)
        state = Mutex(State(recovery: recovery, entropy: entropy))
        for name in names { try makeDevice(name) }
        try member(names[0]).found(recovery)
        noteIdentities()
        for name in names.dropFirst() { try join(self[name], by: self[names[0]]) }
        try settle()
    }

    // MARK: The devices

    /// The devices, in the order in which they came.
    public var devices: [VirtualDevice] { members.map(\.device) }

    /// The device of a name.
    public subscript(name: String) -> VirtualDevice { member(name).device }

    var members: [LaboratoryMember] { state.withLock { $0.members } }

    func member(_ name: String) -> LaboratoryMember {
        guard let member = members.first(where: { $0.name == name }) else {
            preconditionFailure("the laboratory has no device named \(name)")
        }
        return member
    }

    func member(_ device: VirtualDevice) -> LaboratoryMember {
        guard let member = members.first(where: { $0.device == device }) else {
            preconditionFailure("\(device) is not a device of this laboratory")
        }
        return member
    }

    func name(of device: VirtualDevice) -> String { member(device).name }

    /// Makes a device that is in no circle yet: it may get items of its own before it joins.
    @discardableResult
    public func makeDevice(_ name: String) throws(VirtualDeviceError) -> VirtualDevice {
        let device = try add(name, in: TemporaryDirectory(), VirtualClock(start: Self.start))
        try device.setPasscode(Self.passcode)
        return device
    }

    /// Takes a device on the files of a directory.
    func add(
        _ name: String, in directory: TemporaryDirectory, _ clock: VirtualClock
    ) throws(VirtualDeviceError) -> VirtualDevice {
        precondition(!members.contains { $0.name == name }, "the laboratory has a device named \(name)")
        // Each device is as old as the laboratory, and has random bytes of its own.
        if clock.uptime().seconds == 0 { clock.advance(by: log.now) }
        let number = state.withLock { state in
            defer { state.deviceCount += 1 }
            return state.deviceCount
        }
        let device = try VirtualDevice(named: name, seed: seed &+ number, in: directory, clock: clock)
        let folder: LaboratoryFolder? =
            if let url = location.folder { try LaboratoryFolder(url.appendingPathComponent(name)) } else { nil }
        carrier.add(name)
        let member = try LaboratoryMember(
            name, device, LaboratoryView(carrier: carrier, name: name, folder: folder), clock)
        state.withLock { $0.members.append(member) }
        device.laboratory.withLock { $0 = LaboratoryLink(self) }
        device.calls.shared = member
        return device
    }

    private static let start = Date(timeIntervalSinceReferenceDate: 800_000_000)

    /// Notes which devices have which identities: the first one keeps it, also if another is made from its files.
    func noteIdentities() {
        let known = members.compactMap { member in member.identifier.map { ($0, member.device) } }
        state.withLock { state in
            for (identifier, device) in known where state.identities[identifier] == nil {
                state.identities[identifier] = device
            }
        }
    }

    // MARK: Versions that lost

    /// The versions of items that lost against others and are kept, on all devices.
    public var conflicts: [SyncConflict] {
        get throws(VirtualDeviceError) {
            var all: [SyncConflict] = []
            for member in members { all += try member.conflicts() }
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

    public var description: String {
        "SyncLaboratory(devices: \(members.map(\.name)), seed: \(seed))"
    }
}

/// The way from a device to its laboratory, which holds the device.
struct LaboratoryLink: Sendable {
    weak let laboratory: SyncLaboratory?

    init(_ laboratory: SyncLaboratory) {
        self.laboratory = laboratory
    }
}
