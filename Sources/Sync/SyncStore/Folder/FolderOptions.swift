/// The times of a store in a folder.
package struct FolderOptions: Hashable, Sendable {
    /// The time between two looks at a folder of this machine.
    package var localPollSeconds: Double = 60
    /// The same for a folder whose changes inotify does not report.
    package var remotePollSeconds: Double = 10
    /// The age from which a temporary file of this device belongs to a writer that has ended.
    package var temporarySeconds: Int64 = 3600
    /// False to use the polling timer alone.
    package var usesInotify = true

    package init() {}
}
