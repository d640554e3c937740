/// Statements of one device that cannot both be honest: they have the same index (Docs/Design/027-sync.md, rule 6).
package struct StatementEvidence: Hashable, Sendable {
    package let device: DeviceIdentifier
    package let index: Int
    /// Two or more.
    package let statements: Set<ObjectHash>
}

extension StatementGraph {
    /// The evidence against devices, in the order of devices and indexes.
    ///
    /// Recovery keys are excepted: their holder has no memory, and may use the code on two devices at once.
    package var evidence: [StatementEvidence] {
        var found: [StatementEvidence] = []
        for (author, positions) in index.byAuthor {
            guard let device = author.device else { continue }
            let groups = Dictionary(grouping: positions) { index.nodes[$0].statement.index }
            for (number, group) in groups where group.count > 1 {
                let hashes = Set(group.map { index.nodes[$0].verified.hash })
                found.append(StatementEvidence(device: device, index: number, statements: hashes))
            }
        }
        return found.sorted { ($0.device, $0.index) < ($1.device, $1.index) }
    }
}
