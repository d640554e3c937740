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
        guard let warning = warning(try device.endings(cause)) else { return }
        guard !isConfirmed else { return StandardError.write(warning + "\n") }
        let confirmation = Confirmation(word: "yes", unchanged: "Nothing was done.")
        try confirmation.requireTerminal(why: warning)
        try confirmation.ask(warning)
    }

    /// Nil where nothing ends.
    func warning(_ preview: EndingPreview) -> String? {
        var sentences: [String] = []
        if preview.count > 0 {
            sentences.append(
                "\(act) destroys \(ItemCount.text(preview.count)) for good: \(Self.groups(preview.counts)).")
        }
        if preview.unseenCount > 0 {
            let verb = preview.unseenCount == 1 ? "is" : "are"
            sentences.append(
                "\(ItemCount.text(preview.unseenCount)) \(verb) closed while the device is locked and cannot be counted: "
                    + "those that are bound to the enrolled fingers are destroyed, too.")
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
            parts.append("\(count) of \(ItemCount.text(rest.count, "more group"))")
        }
        return parts.joined(separator: ", ")
    }
}
