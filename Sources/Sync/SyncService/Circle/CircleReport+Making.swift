internal import LatchkeyEnclaveContract
internal import LatchkeyEncoding
internal import LatchkeyItemDatabase
internal import LatchkeyKeychainMessages
internal import LatchkeyKeychainService
internal import LatchkeySyncCore
internal import LatchkeySyncIdentity
internal import LatchkeySyncKeys

/// The report for `latchkey sync status`.
extension CircleKeeper {
    func report() throws -> CircleReport {
        var report = CircleReport()
        report.store = place?.store
        report.isPaused = isPaused
        report.storeTrouble = (trouble ?? joiningTrouble)?.refusal.reason.withoutFullStop ?? engine?.storeFailure?.words
        report.lastExchange = lastExchange
        report.conflicts = try parts.items.read { Int64(try $0.syncConflicts().count) }
        if let invitation {
            report.invitationExpires = invitation.expires(by: parts.clock)
        }
        if joining != nil { report.membership = .waiting }
        report.circle = joining?.invitation.circle.bytes ?? membership?.circle?.bytes
        report.device = joining?.record.publicKeys.identifier.bytes ?? membership?.device.bytes
        report.asking = joining?.record.publicKeys.identifier.bytes
        report.approver = joining?.approver?.bytes
        report.fingerprint = try fingerprint
        // The present state is in the statements alone, and without an engine they are not read.
        if membership != nil { report.membership = .member }
        if let engine { try engine.describe(in: &report) }
        return report
    }

    /// The fingerprint of this device, also without an engine.
    private var fingerprint: FingerprintText? {
        get throws {
            guard let circle = joining?.invitation.circle ?? membership?.circle else { return nil }
            let identity = try parts.items.read { try $0.syncValue(named: CircleValue.identity) }
            let record = joining?.record ?? identity.flatMap { IdentityRecord($0) }
            return record.map { FingerprintText(DeviceFingerprint(of: $0.publicKeys, in: circle)) }
        }
    }
}

extension FingerprintText {
    init(_ fingerprint: DeviceFingerprint) {
        guard let text = FingerprintText(fingerprint.text) else {
            preconditionFailure("a fingerprint has letters and digits")
        }
        self = text
    }
}

extension SyncEngine {
    fileprivate func describe(in report: inout CircleReport) throws {
        let state = membership
        report.membership =
            if state.members.contains(device) { .member } else if state.departed[device] != nil { .departed } else {
                .void
            }
        report.circle = circle.bytes
        report.device = device.bytes
        report.isJoining = isJoining
        report.waitingChanges = Int64(waitingChanges)
        report.waitingObjects = Int64(self.state.pending.count)
        report.sharedItems = Int64(self.state.items.values.count { $0.state == .live })
        report.localItems = try parts.items.localItems().reduce(into: [:]) { $0[$1.key.rawValue] = Int64($1.value) }
        report.alarms = alarms.map(CircleAlarm.init).sorted {
            ($0.kind.rawValue, Hexadecimal.text($0.device ?? [])) < (
                $1.kind.rawValue, Hexadecimal.text($1.device ?? [])
            )
        }
        report.devices = try devices()
    }

    /// Every device that the statements admitted, in the order of the admissions.
    private func devices() throws -> [CircleDevice] {
        let labels = try labels()
        var devices: [CircleDevice] = []
        var known: Set<DeviceIdentifier> = []
        for statement in environment.graph.statements {
            guard let keys = statement.statement.body.deviceKeys,
                known.insert(keys.identifier).inserted
            else { continue }
            let author = statement.statement.author
            let other = keys.identifier
            let head = other == device ? state.head : state.seen[other]
            var isRecovered = false
            if case .recovery = author { isRecovered = true }
            devices.append(
                CircleDevice(
                    identifier: other.bytes, isSelf: other == device, isMember: membership.members.contains(other),
                    deviceName: labels[other]?.name ?? (other == device ? parts.description.name : nil),
                    system: labels[other]?.system ?? (other == device ? parts.description.system : nil),
                    admitted: WallTime(microsecondsSince2001: statement.statement.date),
                    admittedBy: author.device.flatMap { $0 == other ? nil : $0.bytes }, isRecovered: isRecovered,
                    lastHead: head.map { WallTime(microsecondsSince2001: Int64(clamping: $0.date)) },
                    lacks: other == device ? 0 : lacks(other), missing: other == device ? 0 : missing(from: other)))
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

    /// Name and system of the devices whose heads open.
    private func labels() throws -> [DeviceIdentifier: DeviceDescription] {
        var labels: [DeviceIdentifier: DeviceDescription] = [:]
        for (writer, bytes) in try parts.items.read({ try $0.syncHeads() }) {
            guard let other = DeviceIdentifier(writer),
                let label = try? HeadObject(parsing: StoredObject.content(of: bytes)).label,
                let epoch = ObjectHash(label.prefix(ObjectHash.byteCount)),
                let key = environment.keyring.key(of: epoch, .c)
            else { continue }
            labels[other] = DeviceDescription(
                opening: Array(label.dropFirst(ObjectHash.byteCount)), of: other, in: circle, epoch, zoneKeyC: key)
        }
        return labels
    }
}

extension CircleAlarm {
    fileprivate init(_ alarm: SyncAlarm) {
        switch alarm {
        case .identityDuplicated: self.init(.identityDuplicated, nil)
        case .deviceDuplicated(let device): self.init(.deviceDuplicated, device.bytes)
        case .contradicted(let stream, _): self.init(.contradicted, stream.device.bytes)
        case .ownSegmentsUnknown(let device): self.init(.ownChangesUnknown, device.bytes)
        case .storeRolledBack(let device): self.init(.storeRolledBack, device.bytes)
        case .withheld(let stream): self.init(.objectsWithheld, stream.device.bytes)
        case .statementsWithheld(let device): self.init(.objectsWithheld, device.bytes)
        case .malformed(let device): self.init(.malformedRecords, device.bytes)
        case .diverged(let device): self.init(.diverged, device.bytes)
        case .storeLimitReached: self.init(.storeLimitReached, nil)
        }
    }
}
