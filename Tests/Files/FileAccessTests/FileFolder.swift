import Foundation
import Glibc
import LatchkeyDevice
import LatchkeyFileAccess
import SecurityTesting
import Testing

/// A folder of one test, with the files of a virtual device; removed with it.
final class FileFolder {
    let device: VirtualDevice
    let vault: FileVault
    let path: String

    init() throws {
        device = try VirtualDevice()
        vault = FileVault.of(try device.run { try CurrentKeychain.keychain() })
        path = NSTemporaryDirectory() + "/latchkey-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    func path(_ name: String) -> String { path + "/" + name }

    func place(_ name: String) throws -> FilePlace {
        FilePlace(try OpenDirectory(opening: path), FileName(name))
    }

    func write(_ bytes: [UInt8], _ name: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path(name)))
    }

    /// The bytes of a file as every other program sees them.
    func stored(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: path(name))))
    }

    /// The content, protected or in clear.
    func content(_ name: String) throws -> [UInt8] {
        try vault.reading(path(name)) { opened in
            let size =
                switch opened {
                case .protected(let file): Int(try file.size())
                case .clear(let descriptor): Int(try descriptor.status().st_size)
                }
            var bytes = [UInt8](repeating: 0, count: size)
            let count = try bytes.withUnsafeMutableBytes { buffer in
                switch opened {
                case .protected(let file): try file.read(at: 0, into: buffer)
                case .clear(let descriptor): try descriptor.read(at: 0, into: buffer)
                }
            }
            return Array(bytes.prefix(count))
        }
    }

    func isProtected(_ name: String) throws -> Bool { try stored(name).starts(with: Array("LKPF".utf8)) }

    func names() throws -> Set<String> { Set(try FileManager.default.contentsOfDirectory(atPath: path)) }

    func status(_ name: String) -> stat {
        var status = stat()
        lstat(path(name), &status)
        return status
    }

    /// Bytes that repeat nowhere near.
    static func bytes(_ count: Int) -> [UInt8] {
        var state: UInt64 = 0x9E37_79B9_7F4A_7C15
        return (0..<count).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 33)
        }
    }
}
