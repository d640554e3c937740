import LatchkeyEncoding

/// The programs whose unsuccessful searches were recorded, each once a day and up to a limit. The limit leaves room in
/// the journal for other refusals, even if many programs search for missing items.
struct MissingNotices {
    static let limit = 64
    private static let seconds = 86_400.0

    private var groups: Set<String> = []
    /// Measured by the clock that cannot be set.
    private var beginning = Uptime(seconds: -.infinity)

    /// Returns true if the call of a program with this group has to be recorded.
    mutating func isDue(_ group: String, uptime: Uptime) -> Bool {
        if uptime - beginning >= Self.seconds {
            groups = []
            beginning = uptime
        }
        return groups.count < Self.limit && groups.insert(group).inserted
    }
}
