import Foundation
import Glibc
import Synchronization
import Testing

/// A point at which a program of a device is killed. It is chosen while the programs run.
///
/// They load the library of ``KillPointSource``, which maps the file that this writes. Its layout: armed, calls that are left, killed (4 bytes
/// each), 4 reserved bytes, the program (48), the point (64).
final class KillPoint: Sendable {
    private static let programByteCount = 48
    private static let pointByteCount = 64
    private static let numberByteCount = 16

    private let file: Int32
    private let path: String

    init() throws {
        (file, path) = try Self.temporary("kill-point")
        try #require(ftruncate(file, off_t(Self.numberByteCount + Self.programByteCount + Self.pointByteCount)) == 0)
    }

    deinit {
        close(file)
        unlink(path)
    }

    /// The environment of the programs.
    func environment() throws -> [String: String] {
        ["LD_PRELOAD": try Self.library.get(), "LATCHKEY_TESTS_KILL_POINT": path]
    }

    /// Kills the program when it comes to the point for the `number`-th time from now.
    func arm(_ program: String, at point: String, number: Int) throws {
        try disarm()
        try write(Self.text(program, Self.programByteCount) + Self.text(point, Self.pointByteCount), at: 16)
        try write(
            [UInt32(0), UInt32(number), 0].flatMap { number in withUnsafeBytes(of: number) { Array($0) } }, at: 0)
        try write([1, 0, 0, 0], at: 0)
    }

    func disarm() throws {
        try write([0, 0, 0, 0], at: 0)
    }

    func hasKilled() throws -> Bool {
        var killed: UInt32 = 0
        try #require(pread(file, &killed, 4, 8) == 4)
        return killed != 0
    }

    private static func text(_ text: String, _ count: Int) -> [UInt8] {
        precondition(text.utf8.count < count)
        return Array(text.utf8) + [UInt8](repeating: 0, count: count - text.utf8.count)
    }

    private func write(_ bytes: [UInt8], at offset: Int) throws {
        try #require(pwrite(file, bytes, bytes.count, off_t(offset)) == bytes.count)
    }

    private static func temporary(_ name: String) throws -> (file: Int32, path: String) {
        var template = Array("/tmp/latchkey-\(name).XXXXXX".utf8CString)
        let file = mkstemp(&template)
        try #require(file >= 0)
        return (file, String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }

    /// Compiled once for all tests of this process.
    private static let library = Result { () throws -> String in
        let (file, path) = try temporary("kill-point-library")
        close(file)
        compiled.withLock { $0 = path }
        atexit { KillPoint.compiled.withLock { _ = unlink($0) } }
        let ending = try run(
            URL(filePath: "/usr/bin/env"),
            ["clang", "-O1", "-Wall", "-Werror", "-x", "c", "-", "-shared", "-fPIC", "-o", path],
            input: Data(KillPointSource.library.utf8))
        try #require(ending.status == 0, "needs clang, which comes with Swift: \(ending.errors)")
        return path
    }

    private static let compiled = Mutex("")
}
