import LatchkeyItemModel

/// The file of the owner's tool that belongs to this device's daemon.
struct ToolFile: Sendable {
    /// Nil for a device without a daemon.
    let path: String?
    /// Whether a program's file was removed. False for one that this process cannot see.
    let isFileGone: @Sendable (String) -> Bool

    /// The path; nil also where the file was removed since the daemon started.
    var presentPath: String? {
        path.flatMap { isFileGone($0) ? nil : $0 }
    }

    var advice: String {
        if let presentPath { return "Use \(presentPath)." }
        return path == nil ? "Use the latchkey of the installation." : OwnersGroup.restartAdvice
    }
}
