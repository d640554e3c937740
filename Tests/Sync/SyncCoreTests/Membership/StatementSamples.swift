@testable import LatchkeySyncCore

/// One statement of each kind, and some with optional parts.
enum StatementSamples {
    static func all() throws -> [(name: String, statement: Statement, keys: PartyKeys)] {
        let device = PartyKeys.device(SampleParties.devices[0])
        let recovery = PartyKeys.recovery(SampleParties.recoveries[0])
        guard let circle = CircleIdentifier(Array(0..<16)), let parent = ObjectHash(Array(32..<64)),
            let other = ObjectHash(Array(64..<96)),
            let group = GroupName("TEAM.example".utf8), let wrapped = WrappedZoneKeys([UInt8](repeating: 5, count: 80))
        else { preconditionFailure("wrong lengths") }
        func make(_ body: StatementBody, by author: PartyKeys, index: Int = 2) throws -> Statement {
            try Statement(
                circle: circle, author: author.party, index: index, parents: [other, parent], date: 820_000_000_000_000,
                body: body)
        }
        let members = [CircleParty.device(SampleParties.device(0)), .recovery(SampleParties.recovery(0))]
        let removal = Removal(
            device: SampleParties.device(1), counted: CountedSegments(a: 3, c: .max), erases: true,
            epoch: SampleParties.epoch(2, for: members))
        let removalWithKeys = Removal(
            device: SampleParties.device(1), counted: CountedSegments(), erases: false,
            epoch: SampleParties.epoch(2, for: []), recovery: SampleParties.recoveries[1])
        let share = Admission.Share(epoch: parent, shares: SampleParties.shares)
        return [
            ("found", try Statement(founding: SampleParties.founding, date: -1), device),
            ("admit", try make(.admit(Admission(keys: SampleParties.devices[1], share: share)), by: device), device),
            (
                "admit without share, by recovery",
                try make(.admit(Admission(keys: SampleParties.devices[1], share: nil)), by: recovery), recovery
            ),
            ("remove", try make(.remove(removal), by: device, index: 1000), device),
            ("remove with new recovery keys", try make(.remove(removalWithKeys), by: recovery), recovery),
            ("leave", try make(.leave(Leave(counted: CountedSegments(a: 1, c: 2))), by: device), device),
            (
                "epoch", try make(.epoch(SampleParties.epoch(3, for: members, earlier: [parent: wrapped])), by: device),
                device
            ),
            (
                "share",
                try make(.share(Sharing(epoch: parent, shares: [members[0]: SampleParties.shares])), by: device), device
            ),
            (
                "recovery", try make(.recovery(RecoveryReplacement(keys: SampleParties.recoveries[2])), by: device),
                device
            ),
            (
                "settings",
                try make(.settings(CircleSettings(allowedGroups: [group], storedByteLimit: 1)), by: device), device
            ),
        ]
    }
}
