import LatchkeyKeychainMessages

/// Where programs of a name have items, for the words of calls that found nothing. Kept for seconds: a program may look
/// for what is not there as often as it likes, and an answer that is as old as that misleads no one.
struct RecentHomes {
    private static let seconds = 5.0
    private static let nameLimit = 64

    private var found: [String: (homes: [FormerHome], uptime: Double)] = [:]

    /// The homes of a name; `read` is called where they are not known.
    mutating func homes(
        ofPrograms name: String, uptime: Double, _ read: () throws -> [FormerHome]
    ) rethrows -> [FormerHome] {
        if let known = found[name], uptime - known.uptime < Self.seconds { return known.homes }
        let homes = try read()
        // Programs can have any number of names.
        if found.count >= Self.nameLimit { found = [:] }
        found[name] = (homes, uptime)
        return homes
    }
}
