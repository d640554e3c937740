import LatchkeyEncoding
import LatchkeyKeychainMessages

/// Where programs of a name have items, for the words of calls that found nothing. Kept for seconds: a program may look
/// for what is not there as often as it likes, and an answer that is as old as that misleads no one.
struct RecentHomes {
    /// Which homes are asked for.
    enum Question: Hashable {
        case ofPrograms(String)
        /// Those of former tools with items that are not the owner's tool's.
        case unadopted
    }

    private static let seconds = 5.0
    private static let questionLimit = 64

    private var found: [Question: (homes: [FormerHome], uptime: Uptime)] = [:]

    /// The homes that are asked for; `read` is called where they are not known.
    mutating func homes(
        _ question: Question, uptime: Uptime, _ read: () throws(Setback) -> [FormerHome]
    ) throws(Setback) -> [FormerHome] {
        if let known = found[question], uptime - known.uptime < Self.seconds { return known.homes }
        let homes = try read()
        // Programs can have any number of names.
        if found.count >= Self.questionLimit { found = [:] }
        found[question] = (homes, uptime)
        return homes
    }
}
