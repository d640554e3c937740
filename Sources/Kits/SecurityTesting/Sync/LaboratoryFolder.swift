import Foundation
import LatchkeySyncCore
import LatchkeySyncStore
import Synchronization

/// A folder on the disk for one device, with what it sees of the store, as a program leaves it that copies folders between devices.
final class LaboratoryFolder: Sendable {
    private let url: URL
    /// The present content of the folder.
    private let content = Mutex<[StoreObjectName: [UInt8]]>([:])

    init(_ url: URL) throws(VirtualDeviceError) {
        self.url = url
        do {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        } catch {
            throw VirtualDeviceError(
                .storageFailed, reason: "The store's folder cannot be made: \(error.localizedDescription).",
                advice: "Name a folder that is writable.")
        }
    }

    func of(_ circle: CircleIdentifier, writer: DeviceIdentifier) -> Circle {
        Circle(folder: self, circle: circle, writer: writer)
    }

    struct Circle: Sendable {
        fileprivate let folder: LaboratoryFolder
        fileprivate let circle: CircleIdentifier
        fileprivate let writer: DeviceIdentifier

        var store: FolderStore { FolderStore(in: folder.url.path, circle: circle, writer: writer) }

        /// Makes the folder what the device is to see.
        func show(_ objects: [StoreObjectName: [UInt8]]) throws(StoreFailure) {
            let failed = folder.content.withLock { content in
                var failed = false
                for name in Set(content.keys).union(objects.keys) where content[name] != objects[name] {
                    failed = !put(objects[name], as: name) || failed
                }
                content = objects
                return failed
            }
            if failed { throw .unreachable(.folderMissing) }
        }

        /// Notes what the device has written itself.
        func note(_ objects: [StoreObjectName: [UInt8]], _ names: [StoreObjectName]) {
            folder.content.withLock { content in
                for name in names { content[name] = objects[name] }
            }
        }

        /// Puts any bytes into the folder, as another program would.
        private func put(_ bytes: [UInt8]?, as name: StoreObjectName) -> Bool {
            let file = folder.url.appendingPathComponent(name.path(in: circle))
            do {
                guard let bytes else {
                    try FileManager.default.removeItem(at: file)
                    return true
                }
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data(bytes).write(to: file)
                return true
            } catch {
                return bytes == nil
            }
        }
    }
}
