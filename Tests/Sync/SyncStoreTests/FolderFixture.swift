import Foundation
import LatchkeySyncCore
import LatchkeySyncStore
import LatchkeySyncStoreTesting
import LatchkeyTestSupport

/// A folder with a store in it, and what other programs do there.
struct FolderFixture {
    let directory: TemporaryDirectory
    let device = SampleObjects.device(1)
    let segment: StoreObjectName
    let store: FolderStore
    let circles: FolderCircles

    init(_ options: FolderOptions = FolderOptions()) throws {
        directory = try TemporaryDirectory()
        segment = SampleObjects.segment(1, of: device)
        store = FolderStore(in: directory.path, circle: StoreWorld.circle, writer: device, options: options)
        circles = FolderCircles(in: directory.path, options: options)
    }

    /// The folder of the circle.
    var root: String { directory.path + "/latchkey-sync/\(StoreWorld.circle)" }

    func path(of name: StoreObjectName) -> String { FolderPath.path(of: name, in: directory.path) }

    /// Every file below the folder, by its path from that of the circle on.
    func files() throws -> Set<String> {
        let all = FileManager.default.enumerator(atPath: root)?.allObjects as? [String] ?? []
        return Set(
            all.filter { path in
                var isFolder: ObjCBool = false
                return FileManager.default.fileExists(atPath: root + "/" + path, isDirectory: &isFolder)
                    && !isFolder.boolValue
            })
    }

    func makeFolder(_ path: String) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    func write(_ bytes: [UInt8], to path: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }
}
