import LatchkeyEncoding

/// The programs whose calls that found nothing were written down, each once a day, and no more of them than a limit:
/// the journal has room for other refusals, however many programs look for what is not there.
struct MissingNotices {
    static let limit = 64
    private static let seconds = 86_400.0

    private var groups: Set<String> = []
    /// By the clock that cannot be set.
    private var beginning = Uptime(seconds: -.infinity)

    /// Whether the call of a program with this group is to be written down.
    mutating func isDue(_ group: String, uptime: Uptime) -> Bool {
        if uptime - beginning >= Self.seconds {
            groups = []
            beginning = uptime
        }
        return groups.count < Self.limit && groups.insert(group).inserted
    }
}
