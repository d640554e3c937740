/// The path of a directory that is made if it is not there.
enum PathArgument {
    /// Refuses a path that is not UTF-8. Its other bytes have been replaced when the arguments became text, so it would
    /// name another directory.
    static func check(_ path: String) throws(CommandFailure) {
        guard path.unicodeScalars.contains("\u{FFFD}") else { return }
        throw CommandFailure(
            .usage, "The path is not UTF-8.", why: "Volumes are only kept under paths that are text.",
            advice: "Give the directory another name.")
    }
}
