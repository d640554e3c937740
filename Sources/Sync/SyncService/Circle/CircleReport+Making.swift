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
        if membership != nil {
            report.membership = .member
            try describe(in: &report)
        }
        return report
    }

    /// Adds members, items and alarms, also while nothing is exchanged.
    private func describe(in report: inout CircleReport) throws {
        if let engine { return try ReportedCircle(engine).describe(in: &report) }
        do {
            guard let circle = try restingCircle() else { return }
            try ReportedCircle(circle, parts, place, alarms: restingAlarms).describe(in: &report)
        } catch {
            // Tables that cannot be read. The report has no devices then, which says that its numbers are not known.
            guard report.storeTrouble == nil else { return }
            report.storeTrouble = CircleFailure(error, place?.store).refusal.reason.withoutFullStop
        }
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

extension CircleAlarm {
    init(_ alarm: SyncAlarm) {
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
