import LatchkeyEncoding
import LatchkeyKeychainMessages

/// A cache of the homes of programs with a name, for the refusals of calls that found nothing. Entries are kept for
/// seconds: a program may search for missing items as often as it likes, and an answer of that age does not mislead the
/// user.
struct RecentHomes {
    /// A selection of homes.
    enum Question: Hashable {
        case ofPrograms(String)
        /// Homes of former tools with items that do not belong to the owner's tool.
        case unadopted
    }

    private static let seconds = 5.0
    private static let questionLimit = 64

    private var found: [Question: (homes: [FormerHome], uptime: Uptime)] = [:]

    /// Returns the selected homes. Calls `read` if they are not known.
    mutating func homes(
        _ question: Question, uptime: Uptime, _ read: () throws(Setback) -> [FormerHome]
    ) throws(Setback) -> [FormerHome] {
        if let known = found[question], uptime - known.uptime < Self.seconds { return known.homes }
        let homes = try read()
        // Programs can have any number of names, so the cache has to be limited.
        if found.count >= Self.questionLimit { found = [:] }
        found[question] = (homes, uptime)
        return homes
    }
}
