/// The conflict versions that are not kept any longer.
package struct ConflictRetention: Sendable {
    private let count: Int
    private let age: UInt64

    package init(_ limits: ReplicaLimits) {
        count = limits.conflictVersions
        age = limits.conflictAge
    }

    /// Returns the versions to remove: those that are too old, and the oldest beyond the greatest number.
    ///
    /// - Parameters:
    ///   - kept: the uptime at which each version was kept.
    ///   - uptime: the present one. A wall clock could be set, and would remove everything.
    package func expired<Key: Comparable>(_ kept: [Key: UInt64], at uptime: UInt64) -> [Key] {
        let newestFirst = kept.sorted { ($0.value, $0.key) > ($1.value, $1.key) }
        return newestFirst.enumerated().filter { position, entry in
            position >= count || uptime >= entry.value && uptime - entry.value >= age
        }.map(\.element.key).sorted()
    }
}
