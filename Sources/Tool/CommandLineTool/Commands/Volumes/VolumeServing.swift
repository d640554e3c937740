import Dispatch
import LatchkeyThreading
import Synchronization

/// The state of the process that serves a mounted volume.
enum VolumeServing: String, Sendable {
    case served
    /// The process has ended, and left the folder mounted.
    case gone
    /// The process is stopped, or hangs: programs that use the folder wait.
    case silent

    private static let patience = DispatchTimeInterval.seconds(2)

    /// Opens the folder. The kernel waits for the process's answer without a limit, so that is left to a thread of its own,
    /// which ends with this process.
    init(of volume: MountedVolume) {
        let answer = Answer()
        let isAsked = DetachedThread.start { answer.give(MountedVolume.isLeft(volume.mountPoint) ? .gone : .served) }
        self = isAsked ? answer.waitFor(Self.patience) ?? .silent : .silent
    }

    private final class Answer: Sendable {
        private let value = Mutex<VolumeServing?>(nil)
        private let isThere = DispatchSemaphore(value: 0)

        func give(_ serving: VolumeServing) {
            value.withLock { $0 = serving }
            isThere.signal()
        }

        func waitFor(_ time: DispatchTimeInterval) -> VolumeServing? {
            _ = isThere.wait(timeout: .now() + time)
            return value.withLock { $0 }
        }
    }
}
