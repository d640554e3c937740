import CLatchkeyFileSystemCalls
import Glibc

/// A directory of the file system under test; every path is relative to it.
package struct TestDirectory: Sendable {
    package let path: Path

    package init(_ path: Path) {
        self.path = path
    }

    package static var isRoot: Bool { lkfs_user() == 0 }

    /// The permissions that new files of this process do not get.
    package static var umask: UInt32 { lkfs_umask() }

    // MARK: - Files

    @discardableResult
    package func open(_ name: Path, _ flags: Int32 = O_RDWR, mode: UInt32 = 0o644) throws(CallFailure) -> OpenFile {
        try OpenFile(path / name, flags, mode: mode)
    }

    /// Creates a file that is not there yet.
    @discardableResult
    package func create(_ name: Path, _ bytes: [UInt8] = [], mode: UInt32 = 0o644) throws(CallFailure) -> OpenFile {
        let file = try open(name, O_RDWR | O_CREAT | O_EXCL, mode: mode)
        if !bytes.isEmpty { try file.write(bytes, at: 0) }
        return file
    }

    /// Reads a file through an opening of its own.
    package func contents(_ name: Path) throws(CallFailure) -> [UInt8] {
        let file = try open(name, O_RDONLY)
        let bytes = try file.contents()
        try file.close()
        return bytes
    }

    package func truncate(_ name: Path, _ size: Int64) throws(CallFailure) {
        try call("truncate", name) { lkfs_truncate($0, size) }
    }

    // MARK: - Names

    package func makeDirectory(_ name: Path, mode: UInt32 = 0o755) throws(CallFailure) {
        try call("mkdir", name) { lkfs_mkdir($0, mode) }
    }

    package func removeDirectory(_ name: Path) throws(CallFailure) { try call("rmdir", name, lkfs_rmdir) }
    package func unlink(_ name: Path) throws(CallFailure) { try call("unlink", name, lkfs_unlink) }

    package func link(_ name: Path, _ other: Path) throws(CallFailure) {
        try call("link", name, other, lkfs_link)
    }

    package func symlink(_ target: Path, _ name: Path) throws(CallFailure) {
        try call("symlink", name) { path in target.withC { lkfs_symlink($0, path) } }
    }

    package func readLink(_ name: Path) throws(CallFailure) -> Path {
        var bytes = [UInt8](repeating: 0, count: 8192)
        let count = try call("readlink", name) { lkfs_readlink($0, &bytes, bytes.count) }
        return Path(bytes: Array(bytes[..<count]))
    }

    /// The effect of `renameat2` on a name that is there.
    package enum Renaming: Sendable {
        case replacing, refusing, exchanging

        fileprivate var flags: UInt32 {
            switch self {
            case .replacing: 0
            case .refusing: UInt32(lkfs_RENAME_NOREPLACE)
            case .exchanging: UInt32(lkfs_RENAME_EXCHANGE)
            }
        }
    }

    package func rename(_ name: Path, _ other: Path, _ renaming: Renaming = .replacing) throws(CallFailure) {
        try call("rename (\(renaming))", name, other) { lkfs_rename($0, $1, renaming.flags) }
    }

    package func makeFIFO(_ name: Path) throws(CallFailure) { try call("mkfifo", name) { lkfs_make_fifo($0, 0o600) } }

    /// A socket that listens under this name.
    package func listen(_ name: Path) throws(CallFailure) -> OpenFile {
        let socket = OpenFile(
            owning: Int32(try call("bind", name, lkfs_bind_socket)), name: name.description)
        try checked(lkfs_listen(socket.descriptor), "listen \(name)")
        return socket
    }

    package func connect(_ name: Path) throws(CallFailure) -> OpenFile {
        OpenFile(owning: Int32(try call("connect", name, lkfs_connect_socket)), name: name.description)
    }

    // MARK: - What belongs to a file

    /// Of a link itself, unless it is followed.
    package func status(_ name: Path, following: Bool = false) throws(CallFailure) -> Status {
        var status = lkfs_status()
        try call("stat", name) { lkfs_status($0, following ? 1 : 0, &status) }
        return Status(status)
    }

    package func changeMode(_ name: Path, _ mode: UInt32) throws(CallFailure) {
        try call("chmod", name) { lkfs_chmod($0, mode) }
    }

    package func changeOwner(
        _ name: Path, _ owner: UInt32, _ group: UInt32, following: Bool = true
    ) throws(CallFailure) {
        try call("chown", name) { lkfs_chown($0, owner, group, following ? 1 : 0) }
    }

    /// Nanoseconds since 1970; a negative time stays as it is.
    package func setTimes(
        _ name: Path, accessed: Int64, modified: Int64, following: Bool = true
    ) throws(CallFailure) {
        try call("utimensat", name) { lkfs_set_times($0, accessed, modified, following ? 1 : 0) }
    }

    package func setTimesToNow(_ name: Path) throws(CallFailure) { try call("utimensat", name, lkfs_set_times_to_now) }

    package func access(_ name: Path, _ mode: Int32) throws(CallFailure) {
        try call("access", name) { lkfs_access($0, mode) }
    }

    /// Of a file system.
    package struct Space: Sendable {
        package let blockByteCount: UInt64
        package let blocks: UInt64
        package let free: UInt64
        package let longestName: UInt64
    }

    package func space() throws(CallFailure) -> Space {
        var space = lkfs_space()
        try checked(path.withC { lkfs_space($0, &space) }, "statvfs \(path)")
        return Space(
            blockByteCount: space.block_size, blocks: space.blocks, free: space.free, longestName: space.name_max)
    }

    // MARK: - Extended attributes

    /// The attributes that a call may write.
    package enum AttributeWrite: Sendable {
        case any, creating, replacing

        fileprivate var flags: Int32 {
            switch self {
            case .any: 0
            case .creating: lkfs_XATTR_CREATE
            case .replacing: lkfs_XATTR_REPLACE
            }
        }
    }

    package func setAttribute(
        _ name: Path, _ attribute: String, _ value: [UInt8], _ write: AttributeWrite = .any
    ) throws(CallFailure) {
        try call("setxattr \(attribute)", name) {
            lkfs_set_attribute($0, attribute, value, value.count, write.flags)
        }
    }

    package func attribute(
        _ name: Path, _ attribute: String, capacity: Int = 1 << 16
    ) throws(CallFailure) -> [UInt8] {
        var value = [UInt8](repeating: 0, count: capacity)
        let count = try call("getxattr \(attribute)", name) { lkfs_attribute($0, attribute, &value, capacity) }
        return Array(value[..<count])
    }

    /// The size that `getxattr` says when it is asked without room.
    package func attributeByteCount(_ name: Path, _ attribute: String) throws(CallFailure) -> Int {
        try call("getxattr \(attribute)", name) { lkfs_attribute($0, attribute, nil, 0) }
    }

    package func attributes(_ name: Path, capacity: Int = 1 << 16) throws(CallFailure) -> [String] {
        var names = [UInt8](repeating: 0, count: capacity)
        let count = try call("listxattr", name) { lkfs_attributes($0, &names, capacity) }
        return names[..<count].split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    }

    package func attributesByteCount(_ name: Path) throws(CallFailure) -> Int {
        try call("listxattr", name) { lkfs_attributes($0, nil, 0) }
    }

    package func removeAttribute(_ name: Path, _ attribute: String) throws(CallFailure) {
        try call("removexattr \(attribute)", name) { lkfs_remove_attribute($0, attribute) }
    }

    // MARK: - Calls

    @discardableResult
    private func call(
        _ call: String, _ name: Path, _ body: (UnsafePointer<CChar>) -> Int
    ) throws(CallFailure) -> Int {
        try checked((path / name).withC(body), "\(call) \(name)")
    }

    private func call(
        _ call: String, _ name: Path, _ other: Path,
        _ body: (UnsafePointer<CChar>, UnsafePointer<CChar>) -> Int
    ) throws(CallFailure) {
        let result = (path / name).withC { name in (path / other).withC { body(name, $0) } }
        try checked(result, "\(call) \(name), \(other)")
    }
}
