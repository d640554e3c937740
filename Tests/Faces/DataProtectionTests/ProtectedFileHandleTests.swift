import DataProtection
import Foundation
import SecurityTesting
import Testing

@Suite("Handles on protected files")
struct ProtectedFileHandleTests {
    private let folder: ProtectedFolder
    private let device: VirtualDevice

    init() throws {
        folder = try ProtectedFolder()
        device = try VirtualDevice()
    }

    @Test("read and write anywhere")
    func randomAccess() throws {
        let url = folder.file("f")
        try device.run { () throws in
            let handle = try ProtectedFileHandle(forCreating: url)
            #expect(try handle.readToEnd() == nil)
            #expect(try handle.read(upToCount: -1) == nil)
            try handle.write(contentsOf: Data("abc".utf8))
            try handle.seek(toOffset: 10_000)
            try handle.write(contentsOf: Data("end".utf8))
            #expect(try handle.offset() == 10_003)
            #expect(try handle.size == 10_003)
            try handle.seek(toOffset: 1)
            #expect(try handle.read(upToCount: 4) == Data([0x62, 0x63, 0, 0]))
            try handle.truncate(atOffset: 2)
            #expect(try handle.seekToEnd() == 2)
            try handle.synchronize()
            try handle.close()
            #expect(try Data(contentsOfProtected: url) == Data("ab".utf8))
            #expect(throws: CocoaError.self) { try handle.seekToEnd() }
            try handle.close()
        }
    }

    @Test("of one process share the file, also when one of them begins to write")
    func sharing() throws {
        let url = folder.file("f")
        try device.run { () throws in
            try Data.letter.writeProtected(to: url)
            let reader = try ProtectedFileHandle(forReadingFrom: url)
            #expect(try reader.read(upToCount: 4) == Data("Dear".utf8))
            let writer = try ProtectedFileHandle(forUpdating: url)
            try writer.write(contentsOf: Data("Fear".utf8))
            try reader.seek(toOffset: 0)
            #expect(try reader.read(upToCount: 4) == Data("Fear".utf8))
            let error = #expect(throws: CocoaError.self) { try reader.write(contentsOf: Data("x".utf8)) }
            #expect(error?.code == .fileWriteNoPermission)
            try Data("all new".utf8).writeProtected(to: url)
            try reader.seek(toOffset: 0)
            #expect(try reader.readToEnd() == Data("all new".utf8), "overwriting in place reaches open handles")
        }
    }

    @Test("keep what was written when they are released without being closed")
    func released() throws {
        let url = folder.file("f")
        try device.run { () throws in
            var handle: ProtectedFileHandle? = try ProtectedFileHandle(forCreating: url)
            try handle?.write(contentsOf: Data.letter)
            handle = nil
            #expect(handle == nil)
            #expect(try Data(contentsOfProtected: url) == .letter)
        }
    }

    @Test("tell their class and change it")
    func classes() throws {
        try device.run { () throws in
            let handle = try ProtectedFileHandle(forCreating: folder.file("f"), protection: FileProtectionType.none)
            #expect(try handle.protection.rawValue == FileProtectionType.none.rawValue)
            try handle.write(contentsOf: Data.letter)
            try handle.setProtection(.complete)
            #expect(try handle.protection.rawValue == FileProtectionType.complete.rawValue)
            try handle.close()
            #expect(try Data(contentsOfProtected: folder.file("f")) == .letter)
        }
    }

    @Test("serve many threads at once")
    func threads() async throws {
        let handle = try device.run { try ProtectedFileHandle(forCreating: folder.file("f")) }
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    for _ in 0..<50 {
                        #expect(throws: Never.self) {
                            try handle.write(contentsOf: Data(repeating: UInt8(number), count: 100))
                        }
                    }
                }
            }
        }
        #expect(try handle.size == 40_000)
        try handle.seek(toOffset: 0)
        let all = try #require(try handle.readToEnd())
        for start in stride(from: 0, to: all.count, by: 100) {
            #expect(Set(all[start..<start + 100]).count == 1, "a write is not torn by another")
        }
    }
}
