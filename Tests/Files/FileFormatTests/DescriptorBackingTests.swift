import Foundation
import LatchkeyFileFormat
import LatchkeyTestSupport
import Testing

@Suite struct DescriptorBackingTests {
    private static func withFile(_ body: (CInt) throws -> Void) throws {
        var name = Array((NSTemporaryDirectory() + "/latchkey-file-XXXXXX").utf8CString)
        let descriptor = mkstemp(&name)
        try #require(descriptor >= 0)
        unlink(name)
        defer { close(descriptor) }
        try body(descriptor)
    }

    @Test("a file in a file system is what it is in memory") func roundTrip() throws {
        try Self.withFile { descriptor in
            let file = try Sample.file(in: DescriptorBacking(descriptor: descriptor))
            let bytes = Sample.bytes(300_000)
            try file.write(bytes, at: 10)
            try file.synchronize(.full)
            try file.truncate(to: 200_000)
            try file.synchronize(.data)
            file.close()
            let again = try ProtectedFile.opened(DescriptorBacking(descriptor: descriptor))
            let isSame = try again.contents == [UInt8](repeating: 0, count: 10) + bytes.prefix(199_990)
            #expect(isSame)
        }
    }

    @Test("a descriptor for reading refuses to write") func readOnly() throws {
        try Self.withFile { descriptor in
            try Sample.file(in: DescriptorBacking(descriptor: descriptor)).synchronize(.full)
            let reading = open("/proc/self/fd/\(descriptor)", O_RDONLY)
            defer { close(reading) }
            let file = try ProtectedFile.opened(DescriptorBacking(descriptor: reading))
            #expect(throws: FileFailure.backing(.readOnly)) { try file.write(Sample.bytes(5000), at: 0) }
        }
    }

    @Test("a descriptor for appending refuses to write, because it ignores offsets") func appending() throws {
        try Self.withFile { descriptor in
            let file = try Sample.file(in: DescriptorBacking(descriptor: descriptor))
            try file.write([1, 2, 3], at: 0)
            try file.synchronize(.full)
            file.close()
            let appending = open("/proc/self/fd/\(descriptor)", O_RDWR | O_APPEND)
            defer { close(appending) }
            let again = try ProtectedFile.opened(DescriptorBacking(descriptor: appending))
            #expect(try again.contents == [1, 2, 3])
            #expect(throws: FileFailure.backing(.system(EINVAL))) { try again.write(Sample.bytes(5000), at: 0) }
            again.close()
            #expect(try ProtectedFile.opened(DescriptorBacking(descriptor: descriptor)).contents == [1, 2, 3])
        }
    }

    @Test("a full disk is reported as such", .needsMounts)
    func fullDisk() throws {
        let disk = try SmallDisk(megabytes: 1)
        let descriptor = open(disk.path + "/file", O_RDWR | O_CREAT, 0o600)
        defer { close(descriptor) }
        let file = try Sample.file(in: DescriptorBacking(descriptor: descriptor))
        try file.synchronize(.full)
        #expect(throws: FileFailure.backing(.noSpace)) { try file.write(Sample.bytes(2 << 20), at: 0) }
        try file.truncate(to: 4096)
        try file.synchronize(.full)
        #expect(try ProtectedFile.opened(DescriptorBacking(descriptor: descriptor)).size == 4096)
    }
}
