import CLatchkeyFuse
import Glibc
import LatchkeyVolume

/// One request of the kernel, which is answered exactly once.
@safe struct Request {
    private let request: fuse_req_t
    let mount: VolumeMount

    init(_ request: fuse_req_t) {
        unsafe self.request = unsafe request
        guard let data = unsafe fuse_req_userdata(request) else { preconditionFailure("a session has its mount") }
        mount = unsafe Unmanaged<VolumeMount>.fromOpaque(data).takeUnretainedValue()
    }

    var volume: Volume { mount.volume }

    var caller: VolumeCaller {
        let context = unsafe fuse_req_ctx(request)
        guard let context = unsafe context?.pointee else { return VolumeCaller(user: 0, group: 0) }
        return VolumeCaller(user: context.uid, group: context.gid, process: context.pid)
    }

    /// Runs `body`, which answers unless it throws.
    static func serve(_ request: fuse_req_t?, _ body: (Request) throws(VolumeFailure) -> Void) {
        guard let request = unsafe request else { return }
        let served = unsafe Request(request)
        do throws(VolumeFailure) {
            try body(served)
        } catch {
            served.fail(error.number)
        }
    }

    func fail(_ number: Int32) {
        unsafe fuse_reply_err(request, number)
    }

    func succeed() {
        unsafe fuse_reply_err(request, 0)
    }

    /// Only this process changes the volume, so the kernel may keep its knowledge for long.
    private static let cacheSeconds = 86_400.0

    /// Answers with an entry. The node was looked up once; an answer that does not arrive takes that back.
    func reply(_ attributes: FileAttributes) {
        var entry = Self.entry(attributes)
        guard unsafe fuse_reply_entry(request, &entry) != 0 else { return }
        volume.forget(attributes.node.number, count: 1)
    }

    static func entry(_ attributes: FileAttributes) -> fuse_entry_param {
        var entry = fuse_entry_param()
        entry.ino = attributes.node.number
        entry.attr = attributes.status
        entry.attr_timeout = cacheSeconds
        entry.entry_timeout = cacheSeconds
        return entry
    }

    /// Answers that there is no such entry, which the kernel may remember.
    func replyNoEntry() {
        var entry = fuse_entry_param()
        entry.entry_timeout = Self.cacheSeconds
        unsafe fuse_reply_entry(request, &entry)
    }

    /// Answers with a new file and a handle on it.
    func reply(_ attributes: FileAttributes, created info: UnsafeMutablePointer<fuse_file_info>?) {
        var entry = Self.entry(attributes)
        unsafe info?.pointee.keep_cache = 1
        guard unsafe fuse_reply_create(request, &entry, info) != 0 else { return }
        volume.release(attributes.node.number)
        volume.forget(attributes.node.number, count: 1)
    }

    func replyAttributes(_ attributes: FileAttributes) {
        var status = attributes.status
        unsafe fuse_reply_attr(request, &status, Self.cacheSeconds)
    }

    /// Answers with a handle. False if the answer did not arrive, and the handle is not the kernel's.
    func replyOpened(_ info: UnsafeMutablePointer<fuse_file_info>?) -> Bool {
        unsafe fuse_reply_open(request, info) == 0
    }

    func reply(_ bytes: UnsafeRawBufferPointer) {
        unsafe fuse_reply_buf(request, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
    }

    func reply(written count: Int) {
        unsafe fuse_reply_write(request, count)
    }

    func reply(target: [UInt8]) {
        unsafe fuse_reply_readlink(request, (target + [0]).map { CChar(bitPattern: $0) })
    }

    func reply(_ space: statvfs) {
        var space = space
        unsafe fuse_reply_statfs(request, &space)
    }

    /// Answers with a value of up to `size` bytes; with its length if `size` is 0, as `getxattr` asks.
    func reply(attribute value: [UInt8], size: Int) {
        if size == 0 {
            unsafe fuse_reply_xattr(request, value.count)
        } else if value.count > size {
            fail(ERANGE)
        } else {
            unsafe value.withUnsafeBytes { unsafe reply($0) }
        }
    }

    /// Appends an entry to what a program reads of a directory. Returns the bytes that it takes, more than `room` if it
    /// was not appended.
    func append(
        _ listed: Listing.Entry, next: Int, _ attributes: FileAttributes?, to room: UnsafeMutableRawBufferPointer
    ) -> Int {
        let name = listed.name.map { CChar(bitPattern: $0) } + [0]
        let start = unsafe room.baseAddress?.assumingMemoryBound(to: CChar.self)
        if let attributes {
            var entry = Self.entry(attributes)
            return unsafe fuse_add_direntry_plus(request, start, room.count, name, &entry, off_t(next))
        }
        var status = stat()
        status.st_ino = UInt(listed.number)
        status.st_mode = UInt32(listed.type) << 12
        return unsafe fuse_add_direntry(request, start, room.count, name, &status, off_t(next))
    }

    /// The same with the attributes of `.` and `..`, which are not looked up.
    func appendUncounted(_ listed: Listing.Entry, next: Int, to room: UnsafeMutableRawBufferPointer) -> Int {
        var entry = fuse_entry_param()
        entry.attr.st_ino = UInt(listed.number)
        entry.attr.st_mode = UInt32(listed.type) << 12
        let name = listed.name.map { CChar(bitPattern: $0) } + [0]
        let start = unsafe room.baseAddress?.assumingMemoryBound(to: CChar.self)
        return unsafe fuse_add_direntry_plus(request, start, room.count, name, &entry, off_t(next))
    }
}
