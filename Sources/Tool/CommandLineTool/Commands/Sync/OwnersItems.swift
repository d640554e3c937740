import ArgumentParser
import Glibc
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeySecretMemory

/// The choice of the owner about the items that `latchkey` itself keeps. Their group is local by default, like that of every
/// program without a team.
package enum OwnersItems: String, ExpressibleByArgument, CaseIterable, Sendable {
    case yes
    case no

    /// Asks on a terminal. Elsewhere, and without an answer, they travel.
    static func asked() -> OwnersItems {
        guard Confirmation.isPossible else { return .yes }
        while true {
            StandardError.write(
                "Do the items that latchkey itself keeps with --synchronizable travel, too? (yes/no) [yes]: ")
            guard let answer = readLine(), !answer.isEmpty else { return .yes }
            if let choice = OwnersItems(rawValue: answer) { return choice }
        }
    }

    /// The command that lets them travel.
    static let command = "`latchkey sync groups allow \(OwnersGroup.name)`"

    static let travel = "The items that latchkey itself keeps with --synchronizable (\(OwnersGroup.name)) travel, too."
    static let stay =
        "The items that latchkey itself keeps (\(OwnersGroup.name)) stay on their device; \(command) lets them travel."

    /// Returns the sentence for a device that is about to ask to be admitted.
    /// - Parameter groups: those that the circle allows; nil if that is not known.
    static func ofCircle(_ groups: [String]?) -> String {
        guard let groups else {
            return
                "Whether the items that latchkey itself keeps (\(OwnersGroup.name)) travel in this circle is not known "
                + "yet; `latchkey sync groups list` tells afterwards."
        }
        guard groups.contains(OwnersGroup.name) else { return "In this circle: " + stay }
        return "In this circle: " + travel + " Those of this device go to all its devices."
    }
}

extension DeviceAccess {
    /// Lets the owner's items travel in the circle that was just founded. The circle stands if that fails.
    /// - Returns: what is the case now.
    func shareOwnersItems(_ passcode: SecretBox?) -> (areShared: Bool, text: String) {
        do throws(CommandFailure) {
            try ask(ShareGroup(OwnersGroup.name, isShared: true, passcode: passcode))
            return (true, OwnersItems.travel)
        } catch {
            return (false, OwnersItems.stay + " That could not be done now: " + (error.why ?? error.what))
        }
    }
}
