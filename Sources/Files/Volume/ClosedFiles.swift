import Synchronization

/// Files without handles whose content stays open for a while: programs often open a file again soon, and each opening asks
/// the device.
final class ClosedFiles: Sendable {
    private static let countLimit = 256
    /// The files beyond the limit that may wait for a pause in which they are closed.
    private static let surplusLimit = 64
    /// Longer files keep more of their tree in memory.
    static let sizeLimit: UInt64 = 1 << 20

    private let files = Mutex<[VolumeNode]>([])

    /// Adds a file, and returns the one that has to go for it.
    func add(_ node: VolumeNode) -> VolumeNode? {
        files.withLock { files in
            files.append(node)
            return files.count > Self.countLimit + Self.surplusLimit ? files.removeFirst() : nil
        }
    }

    /// Returns a file that is to be closed in a pause; nil if there are not too many.
    func takeSurplus() -> VolumeNode? {
        files.withLock { $0.count > Self.countLimit ? $0.removeFirst() : nil }
    }

    /// Returns true if the file was there.
    func remove(_ node: VolumeNode) {
        files.withLock { files in
            guard let index = files.lastIndex(where: { $0 === node }) else { return }
            files.remove(at: index)
        }
    }

    func removeAll() -> [VolumeNode] {
        files.withLock { files in
            defer { files = [] }
            return files
        }
    }
}
