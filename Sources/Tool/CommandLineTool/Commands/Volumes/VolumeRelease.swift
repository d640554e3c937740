import Glibc
import LatchkeyPlainText
package import LatchkeyVolume

/// The wait for the process that serves a volume: it writes everything out after the folder has gone, and only then releases
/// the volume.
package struct VolumeRelease {
    /// The directory that stores the volume, and the folder that has gone.
    private let storage: String
    private let folder: String
    private let server: VolumeServer?
    private let patienceMilliseconds: Int
    private let tell: (String) -> Void

    /// - Parameters:
    ///   - server: nil if this user does not see it.
    ///   - tell: called with a sentence if the wait takes longer than usual.
    package init(
        storage: String, folder: String, server: VolumeServer?, patienceMilliseconds: Int = 60_000,
        tell: @escaping (String) -> Void
    ) {
        self.storage = storage
        self.folder = folder
        self.server = server
        self.patienceMilliseconds = patienceMilliseconds
        self.tell = tell
    }

    /// Returns when the volume is free.
    package func wait() throws(CommandFailure) {
        for elapsed in stride(from: 0, through: patienceMilliseconds, by: Self.pauseMilliseconds) {
            guard Volume.isServed(storedIn: storage) else { return }
            if let server, VolumeServer.state(ofProcess: server.process) == .stopped { throw stopped(server) }
            if elapsed == Self.usualMilliseconds { tell("Waiting until \(name) has written everything to the disk.") }
            usleep(UInt32(Self.pauseMilliseconds) * 1000)
        }
        throw CommandFailure(
            .stopFailed, "\(PlainText.escaped(folder)) is gone, and the volume is not free yet.",
            why: "After \(patienceMilliseconds / 1000) seconds \(name) still has it.",
            advice:
                "Wait until that process has ended before you copy \(PlainText.escaped(storage)) or switch the machine off. "
                + "Ended by force, it loses what programs have not synchronized.")
    }

    private var name: String { server.map { "process \($0.process)" } ?? "the process that serves it" }

    private func stopped(_ server: VolumeServer) -> CommandFailure {
        CommandFailure(
            .stopFailed, "\(PlainText.escaped(folder)) is gone, and the volume is not free.",
            why: "Process \(server.process), which has it, is stopped.",
            advice: "Let it go on: kill -CONT \(server.process)")
    }

    private static let pauseMilliseconds = 10
    private static let usualMilliseconds = 1000
}
