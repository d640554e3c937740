import Glibc
import LatchkeyKeychainMessages
import LatchkeyPlainText

/// Says how many items of which groups an act of the owner destroys, and asks before it is done.
struct EndingConfirmation {
    /// "Removing the passcode", "Enrolling a finger".
    let act: String
    let cause: EndingCause

    private static let groupLimit = 8

    /// - Parameter isConfirmed: the command was called with `--yes`.
    func ask(_ device: DeviceAccess, isConfirmed: Bool) throws(CommandFailure) {
        guard case .endings(let preview) = try device.ask(.endings(cause)) else {
            throw CommandFailure(.failure, "The device answered something else than what would be destroyed.")
        }
        guard let warning = warning(preview) else { return }
        guard !isConfirmed else { return StandardError.write(warning + "\n") }
        guard isatty(STDIN_FILENO) == 1 else {
            throw CommandFailure(
                .notConfirmed, "Nothing was done.", why: warning, advice: "Say --yes if it is meant.")
        }
        StandardError.write(warning + "\nType yes to go on: ")
        guard let answer = readLine(), answer == "yes" else {
            throw CommandFailure(.notConfirmed, "Nothing was done.", why: "The answer was not the word \"yes\".")
        }
    }

    /// Nil where nothing ends.
    func warning(_ preview: EndingPreview) -> String? {
        var sentences: [String] = []
        if preview.count > 0 {
            let things = preview.count == 1 ? "1 item" : "\(preview.count) items"
            sentences.append("\(act) destroys \(things) for good: \(Self.groups(preview.counts)).")
        }
        if preview.unseenCount > 0 {
            let things = preview.unseenCount == 1 ? "1 item is" : "\(preview.unseenCount) items are"
            sentences.append(
                "\(things) closed while the device is locked, and cannot be counted: those that are bound to the "
                    + "enrolled fingers are destroyed, too.")
        }
        return sentences.isEmpty ? nil : sentences.joined(separator: " ")
    }

    /// The groups with most items first.
    static func groups(_ counts: [String: Int64]) -> String {
        let sorted = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        var parts = sorted.prefix(groupLimit).map { "\($0.value) of \(PlainText.escaped($0.key))" }
        let rest = sorted.dropFirst(groupLimit)
        if !rest.isEmpty {
            let count = rest.reduce(0) { $0 + $1.value }
            parts.append("\(count) of \(rest.count) more group\(rest.count == 1 ? "" : "s")")
        }
        return parts.joined(separator: ", ")
    }
}
