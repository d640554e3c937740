internal import LatchkeyEncoding
internal import LatchkeyItemDatabase
internal import LatchkeyKeychainMessages
internal import LatchkeyKeychainService
internal import LatchkeySyncCore
internal import LatchkeySyncIdentity
internal import LatchkeySyncKeys

/// The parts of a circle that a report shows: those of a running engine, or what the tables have while nothing is exchanged.
struct ReportedCircle {
    private let items: SharedItems
    private let device: DeviceIdentifier
    private let graph: StatementGraph
    private let membership: MembershipState
    private let keyring: ZoneKeyring
    private let state: ReplicaState
    /// Name and system of this device.
    private let description: DeviceDescription?
    private let waitingChanges: Int
    private let sharedItems: Int
    private let localItems: [SharingObstacle: Int]
    private let alarms: Set<SyncAlarm>

    init(_ engine: SyncEngine) throws {
        items = engine.parts.items
        device = engine.device
        graph = engine.environment.graph
        membership = engine.membership
        keyring = engine.environment.keyring
        state = engine.state
        description = engine.parts.description
        waitingChanges = engine.waitingChanges
        sharedItems = engine.state.items.values.count { $0.state == .live }
        localItems = try engine.parts.items.localItems()
        alarms = engine.alarms
    }

    /// Takes what the tables have. The store is not asked.
    /// - Parameters:
    ///   - circle: the statements, verified, and no keys.
    ///   - known: the alarms that stood when the last engine ended. They are in no table.
    init(_ circle: SyncMembership, _ parts: CircleParts, _ place: CirclePlaceSettings?, alarms known: Set<SyncAlarm>)
        throws
    {
        items = parts.items
        device = circle.device
        graph = circle.graph
        membership = circle.graph.state()
        let (state, rows, changes, keys) = try parts.items.read { reader in
            (
                try SyncTables.state(of: circle.device, in: reader), try reader.syncItems(), try reader.syncChanges(),
                try SyncMembership.storedKeys(reader)
            )
        }
        self.state = state
        var keyring = circle.keyring
        // Names of devices need no others. Before the first unlock there are none.
        _ = try? keyring.restore(keys.filter(\.opensLabels), by: EnclaveKeyringWrapping(parts.enclave))
        self.keyring = keyring
        description = place.flatMap { DeviceDescription(name: $0.deviceName, system: parts.system) }
        let groups = Set(membership.settings.allowedGroups.map { String(decoding: $0.bytes, as: UTF8.self) })
        // Without an engine the keychain has no keys to name what programs write.
        let unnamed = try parts.items.unnamedItems(allowing: groups)
        let table = RestingItems(circle.device, state, rows, changes, unnamed)
        waitingChanges = table.waitingChanges
        sharedItems = table.sharedItems
        localItems = try parts.items.localItems(allowing: groups).merging(table.unnamedLocalItems, uniquingKeysWith: +)
        let duplicated = state.duplicated.intersection(membership.members).map { other in
            other == circle.device ? SyncAlarm.identityDuplicated : .deviceDuplicated(other)
        }
        alarms = known.union(duplicated)
    }

    func describe(in report: inout CircleReport) throws {
        let isMember = membership.members.contains(device)
        report.membership = isMember ? .member : membership.departed[device] != nil ? .departed : .void
        report.circle = graph.circle.bytes
        report.device = device.bytes
        report.isJoining = isMember && !state.hasJoined
        report.waitingChanges = Int64(waitingChanges)
        report.waitingObjects = Int64(state.pending.count)
        report.sharedItems = Int64(sharedItems)
        report.localItems = localItems.reduce(into: [:]) { $0[$1.key.rawValue] = Int64($1.value) }
        report.allowedGroups = membership.settings.allowedGroups.sorted().map {
            String(decoding: $0.bytes, as: UTF8.self)
        }
        report.alarms = alarms.map(CircleAlarm.init).sorted {
            ($0.kind.rawValue, Hexadecimal.text($0.device ?? [])) < (
                $1.kind.rawValue, Hexadecimal.text($1.device ?? [])
            )
        }
        report.devices = try devices()
    }

    // MARK: Devices

    /// Every device that the statements admitted, in the order of the admissions.
    private func devices() throws -> [CircleDevice] {
        let labels = try items.deviceLabels(keyring)
        let departures = Departures(graph)
        var devices: [CircleDevice] = []
        var known: Set<DeviceIdentifier> = []
        for statement in graph.statements {
            guard let keys = statement.statement.body.deviceKeys, known.insert(keys.identifier).inserted else {
                continue
            }
            let author = statement.statement.author
            let other = keys.identifier
            let isSelf = other == device
            let isMember = membership.members.contains(other)
            let head = isSelf ? state.head : state.seen[other]
            let label = labels[other] ?? (isSelf ? description : nil)
            let departure = membership.departed[other] == nil ? nil : departures[other]
            var isRecovered = false
            if case .recovery = author { isRecovered = true }
            devices.append(
                CircleDevice(
                    identifier: other.bytes, isSelf: isSelf, isMember: isMember, deviceName: label?.name,
                    system: label?.system, admitted: WallTime(microsecondsSince2001: statement.statement.date),
                    admittedBy: author.device.flatMap { $0 == other ? nil : $0.bytes }, isRecovered: isRecovered,
                    departed: departure.map { WallTime(microsecondsSince2001: $0.date) },
                    departedBy: departure?.author.device?.bytes,
                    lastHead: head.map { WallTime(microsecondsSince2001: Int64(clamping: $0.date)) },
                    // Nothing waits for a device that has departed, and nothing further is read from it.
                    lacks: isSelf || !isMember ? 0 : lacks(other),
                    missing: isSelf || !isMember ? 0 : missing(from: other)))
        }
        return devices
    }

    /// The segments of this device that another one has not said to have.
    private func lacks(_ other: DeviceIdentifier) -> Int64 {
        difference { zone in
            let own = StreamIdentifier(device, zone)
            return (state.vector[own], state.seen[other]?.body.vector[own] ?? 0)
        }
    }

    /// The segments of another device that its head, or that of a third one, names and that are not applied here.
    private func missing(from other: DeviceIdentifier) -> Int64 {
        difference { zone in
            let stream = StreamIdentifier(other, zone)
            let last = state.seen.values.map { $0.body.vector[stream] }.max() ?? 0
            return (max(last, state.seen[other]?.body.streams[zone].last ?? 0), state.vector[stream])
        }
    }

    private func difference(_ numbers: (ZoneClass) -> (UInt64, UInt64)) -> Int64 {
        ZoneClass.allCases.reduce(0) { sum, zone in
            let (last, applied) = numbers(zone)
            // The numbers of others are theirs to choose.
            let (total, isTooLarge) = sum.addingReportingOverflow(Int64(clamping: last - min(last, applied)))
            return isTooLarge ? .max : total
        }
    }
}

extension SharedItems {
    /// Returns name and system of the devices whose heads open with the keys.
    func deviceLabels(_ keyring: ZoneKeyring) throws -> [DeviceIdentifier: DeviceDescription] {
        var labels: [DeviceIdentifier: DeviceDescription] = [:]
        for (writer, bytes) in try read({ try $0.syncHeads() }) {
            guard let other = DeviceIdentifier(writer),
                let label = try? HeadObject(parsing: StoredObject.content(of: bytes)).label,
                let epoch = ObjectHash(label.prefix(ObjectHash.byteCount)),
                let key = keyring.key(of: epoch, .c)
            else { continue }
            labels[other] = DeviceDescription(
                opening: Array(label.dropFirst(ObjectHash.byteCount)), of: other, in: keyring.circle, epoch,
                zoneKeyC: key)
        }
        return labels
    }
}

extension StoredKeyringEntry {
    /// True for the keys under which devices seal their names.
    fileprivate var opensLabels: Bool {
        if case .zoneKey(_, .c) = subject { true } else { false }
    }
}

/// The statements by which devices departed.
private struct Departures {
    private var removals: [DeviceIdentifier: Statement] = [:]
    private var leaves: [DeviceIdentifier: Statement] = [:]

    init(_ graph: StatementGraph) {
        for verified in graph.statements {
            let statement = verified.statement
            switch statement.body {
            case .remove(let removal): removals[removal.device] = removals[removal.device] ?? statement
            case .leave:
                guard let device = statement.author.device else { continue }
                leaves[device] = leaves[device] ?? statement
            case .found, .admit, .epoch, .share, .recovery, .settings: continue
            }
        }
    }

    /// The first removal of the device; if no other device removed it, the statement with which it left.
    subscript(device: DeviceIdentifier) -> Statement? { removals[device] ?? leaves[device] }
}
