import Glibc
import LatchkeyPlainText
import LatchkeyVolume

/// The process behind a mounted volume.
extension MountedVolume {
    /// The process that serves the volume; nil if this user does not see it.
    var server: VolumeServer? { VolumeServer.serving(storage: storage, folder: mountPoint) }

    /// Ends the connection of a volume whose process is dead but cannot end, because a thread of it waits in the kernel. The
    /// programs that wait for the volume get errors then.
    ///
    /// - Throws: if the process is dead and the connection cannot be ended.
    func endIfDead() throws(CommandFailure) {
        guard let server, server.state == .dead, server.isNamed || VolumeServing(of: self) == .silent else { return }
        guard VolumeConnection(number: connection).end(mountedAt: mountPoint) else {
            let folder = PlainText.escaped(mountPoint)
            throw CommandFailure(
                .stopFailed, "The volume at \(folder) is dead, and programs that use it wait.",
                why:
                    "\(server.words) was killed, a thread of it is still in the kernel, and this user cannot end "
                    + "its connection: \(VolumeConnection.directory) is not mounted.",
                advice: "As root: umount -f \(folder)")
        }
        for _ in 0..<Self.looks where VolumeServer.state(ofProcess: server.process) != nil {
            usleep(Self.pauseMicroseconds)
        }
    }

    /// A dead process ends at once when its thread comes back from the kernel.
    private static let looks = 100
    private static let pauseMicroseconds: UInt32 = 10_000
}

extension VolumeServer {
    /// The process at the beginning of a sentence.
    var words: String { isNamed ? "Its process \(process)" : "Its process" }
}
