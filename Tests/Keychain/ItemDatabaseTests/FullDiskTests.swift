import Foundation
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyTestSupport
import Testing

/// A real file system that is full: needs root for a small tmpfs.
@Suite(.needsMounts)
struct FullDiskTests {
    @Test("a full disk fails the writer and loses nothing that was acknowledged")
    func fullDisk() throws {
        let disk = try SmallDisk(megabytes: 8)
        let filler = disk.path + "/filler"
        // Leaves 2 MiB. Its room is enough afterwards to write every page of the file once more.
        _ = FileManager.default.createFile(atPath: filler, contents: Data(count: 6 << 20))
        let path = disk.path + "/keychain.db"
        let database = try ItemDatabase(path: path, clock: { 0 })
        let stored = Collected<Int>()
        let failures = Collected<ItemDatabaseFailure>()
        onThreads(4) { thread in
            for index in 0..<100 {
                let number = thread * 1000 + index
                do {
                    try database.write { try $0.insert(row(number, secretByteCount: 20_000)) }
                    stored.append(number)
                } catch {
                    failures.append(ItemDatabaseFailure.from(error))
                }
            }
        }
        #expect(!stored.all.isEmpty)
        #expect(failures.all.contains(.full))
        #expect(failures.all.allSatisfy { $0 == .full }, "\(Set(failures.all.map { "\($0)" }))")
        #expect(Set(try database.identifiers()) == Set(stored.all.map { token($0, 1) }))
        // Room on the disk lets everything go on without any restart.
        try FileManager.default.removeItem(atPath: filler)
        #expect(try database.integrityFindings().isEmpty)
        try database.write { _ = try $0.deleteRows(inAccessGroups: ["g"]) }
        try database.write { try $0.insert(row(9)) }
        database.close()
        #expect(try ItemDatabase(path: path, clock: { 0 }).identifiers() == [token(9, 1)])
    }
}
