import LatchkeyItemModel

/// The file of the owner's tool that belongs to this device's daemon.
struct ToolFile: Sendable {
    /// Nil for a device without a daemon.
    let path: String?
    /// Returns true if a program's file was removed, and false if this process cannot see it.
    let isFileGone: @Sendable (String) -> Bool

    /// The path; nil also if the file was removed since the daemon started.
    var presentPath: String? {
        path.flatMap { isFileGone($0) ? nil : $0 }
    }

    var advice: String {
        if let presentPath { return "Use \(presentPath)." }
        return path == nil ? "Use the latchkey of the installation." : OwnersGroup.restartAdvice
    }
}
