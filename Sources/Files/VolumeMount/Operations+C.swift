import CLatchkeyFuse
import Glibc
import LatchkeyVolume

/// The kernel's requests as functions of C, which carry nothing along: the mount is in the session.
enum Operations {
    static var all: fuse_lowlevel_ops {
        var all = fuse_lowlevel_ops()
        addSession(&all)
        addNames(&all)
        addMaking(&all)
        addFiles(&all)
        addDirectories(&all)
        addAttributes(&all)
        return all
    }

    private static func addSession(_ all: inout fuse_lowlevel_ops) {
        unsafe all.`init` = { userData, connection in
            guard let userData = unsafe userData, let connection = unsafe connection else { return }
            unsafe Unmanaged<VolumeMount>.fromOpaque(userData).takeUnretainedValue().begin(connection)
        }
        unsafe all.statfs = { request, _ in
            unsafe Request.serve(request) { request throws(VolumeFailure) in
                request.reply(try request.volume.space())
            }
        }
    }

    private static func addNames(_ all: inout fuse_lowlevel_ops) {
        unsafe all.lookup = { request, parent, name in
            unsafe Request.serve(request) { request throws(VolumeFailure) in
                do throws(VolumeFailure) {
                    request.reply(try request.volume.lookup(parent, unsafe EntryName(name)))
                } catch {
                    guard error.number == ENOENT else { throw error }
                    request.replyNoEntry()
                }
            }
        }
        unsafe all.forget = { request, number, count in
            guard let request = unsafe request else { return }
            unsafe Request(request).volume.forget(number, count: count)
            unsafe fuse_reply_none(request)
        }
        unsafe all.forget_multi = { request, count, list in
            guard let request = unsafe request, let list = unsafe list else { return }
            let volume = unsafe Request(request).volume
            for index in 0..<count { unsafe volume.forget(list[index].ino, count: list[index].nlookup) }
            unsafe fuse_reply_none(request)
        }
        unsafe all.unlink = { request, parent, name in
            unsafe Request.serve(request) { request throws(VolumeFailure) in
                try request.volume.remove(parent, unsafe EntryName(name))
                request.succeed()
            }
        }
        unsafe all.rmdir = { request, parent, name in
            unsafe Request.serve(request) { request throws(VolumeFailure) in
                try request.volume.removeDirectory(parent, unsafe EntryName(name))
                request.succeed()
            }
        }
        unsafe all.rename = { request, parent, name, newParent, newName, flags in
            unsafe Request.serve(request) { request throws(VolumeFailure) in
                try request.volume.move(
                    parent, unsafe EntryName(name), to: newParent, unsafe EntryName(newName), flags: flags)
                request.succeed()
            }
        }
        unsafe all.link = { request, number, parent, name in
            unsafe Request.serve(request) { request throws(VolumeFailure) in
                request.reply(try request.volume.link(number, parent, unsafe EntryName(name)))
            }
        }
    }

    private static func addMaking(_ all: inout fuse_lowlevel_ops) {
        unsafe all.create = { request, parent, name, mode, info in
            unsafe Request.serve(request) { request throws(VolumeFailure) in
                let attributes = try request.volume.makeFile(
                    parent, unsafe EntryName(name), permissions: mode & 0o7777, by: request.caller)
                unsafe request.reply(attributes, created: info)
            }
        }
        unsafe all.mknod = { request, parent, name, mode, device in
            unsafe Request.serve(request) { request throws(VolumeFailure) in
                let name = unsafe try EntryName(name)
                guard mode & S_IFMT == S_IFREG else {
                    return request.reply(
                        try request.volume.makeSpecial(
                            parent, name, mode: mode, device: UInt64(device), by: request.caller))
                }
                let attributes = try request.volume.makeFile(
                    parent, name, permissions: mode & 0o7777, by: request.caller)
                request.volume.release(attributes.node.number)
                request.reply(attributes)
            }
        }
        unsafe all.mkdir = { request, parent, name, mode in
            unsafe Request.serve(request) { request throws(VolumeFailure) in
                request.reply(
                    try request.volume.makeDirectory(
                        parent, unsafe EntryName(name), permissions: mode & 0o7777, by: request.caller))
            }
        }
        unsafe all.symlink = { request, target, parent, name in
            unsafe Request.serve(request) { request throws(VolumeFailure) in
                request.reply(
                    try request.volume.makeLink(
                        parent, unsafe EntryName(name), to: unsafe bytesOf(target), by: request.caller))
            }
        }
        unsafe all.readlink = { request, number in
            unsafe Request.serve(request) { request throws(VolumeFailure) in
                request.reply(target: try request.volume.target(ofLink: number))
            }
        }
    }

    private static func addFiles(_ all: inout fuse_lowlevel_ops) {
        unsafe all.open = { request, number, info in
            unsafe Request.serve(request) { request throws(VolumeFailure) in
                let flags = unsafe info?.pointee.flags ?? 0
                try request.volume.open(number, flags: flags)
                unsafe info?.pointee.keep_cache = 1
                // Closing has nothing to tell to a program that does not write.
                if flags & (O_ACCMODE | O_TRUNC) == O_RDONLY { unsafe info?.pointee.noflush = 1 }
                if unsafe !request.replyOpened(info) { request.volume.release(number) }
            }
        }
        unsafe all.read = { request, number, size, offset, _ in
            unsafe Request.serve(request) { request throws(VolumeFailure) in
                let piece = request.mount.contentMemory.take(size)
                defer { request.mount.contentMemory.giveBack(piece) }
                let buffer = unsafe piece.bytes(size)
                let count = try unsafe request.volume.read(number, at: UInt64(offset), into: buffer)
                unsafe request.reply(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            }
        }
        unsafe all.write = { request, number, start, count, offset, _ in
            unsafe Request.serve(request) { request throws(VolumeFailure) in
                try unsafe request.volume.write(
                    number, at: UInt64(offset), from: UnsafeRawBufferPointer(start: start, count: count))
                request.reply(written: count)
            }
        }
        unsafe all.flush = { request, number, _ in
            unsafe Request.serve(request) { request throws(VolumeFailure) in
                try request.volume.flush(number)
                request.succeed()
            }
        }
        unsafe all.release = { request, number, _ in
            unsafe Request.serve(request) { request throws(VolumeFailure) in
                request.volume.release(number)
                request.succeed()
            }
        }
        unsafe all.fsync = { request, number, _, _ in
            unsafe Request.serve(request) { request throws(VolumeFailure) in
                try request.volume.synchronize(number)
                request.succeed()
            }
        }
        unsafe all.fallocate = { request, number, mode, offset, count, _ in
            unsafe Request.serve(request) { request throws(VolumeFailure) in
                try request.volume.allocate(number, mode: mode, offset: UInt64(offset), count: UInt64(count))
                request.succeed()
            }
        }
    }

    private static func addDirectories(_ all: inout fuse_lowlevel_ops) {
        unsafe all.opendir = { request, number, info in
            unsafe Request.serve(request) { request throws(VolumeFailure) in
                let listing = unsafe Unmanaged.passRetained(Listing(number, request.volume))
                unsafe info?.pointee.fh = UInt64(UInt(bitPattern: listing.toOpaque()))
                // The kernel keeps no list: it would go on showing names that were removed.
                if unsafe !request.replyOpened(info) { unsafe listing.release() }
            }
        }
        unsafe all.releasedir = { request, _, info in
            unsafe Request.serve(request) { request throws(VolumeFailure) in
                unsafe Unmanaged<Listing>.fromOpaque(pointerOf(info)).release()
                request.succeed()
            }
        }
        unsafe all.readdir = { request, _, size, offset, info in
            unsafe Request.serve(request) { request throws(VolumeFailure) in
                try unsafe answerList(request, size, Int(offset), info) { (entry, next, room) in
                    unsafe request.append(entry, next: next, nil, to: room)
                }
            }
        }
        unsafe all.readdirplus = { request, number, size, offset, info in
            unsafe Request.serve(request) { request throws(VolumeFailure) in
                try unsafe answerList(request, size, Int(offset), info) { (entry, next, room) in
                    guard let name = entry.entryName else {
                        return unsafe request.appendUncounted(entry, next: next, to: room)
                    }
                    let found: FileAttributes
                    do throws(VolumeFailure) {
                        found = try request.volume.lookup(number, name)
                    } catch {
                        // Removed since the listing began; or the program sees the failure when it looks the name up.
                        guard error.number != ENOENT else { return 0 }
                        return unsafe request.appendUncounted(entry, next: next, to: room)
                    }
                    let count = unsafe request.append(entry, next: next, found, to: room)
                    if count > room.count { request.volume.forget(found.node.number, count: 1) }
                    return count
                }
            }
        }
        unsafe all.fsyncdir = { request, number, _, _ in
            unsafe Request.serve(request) { request throws(VolumeFailure) in
                try request.volume.synchronizeDirectory(number)
                request.succeed()
            }
        }
    }

    private static func addAttributes(_ all: inout fuse_lowlevel_ops) {
        unsafe all.getattr = { request, number, _ in
            unsafe Request.serve(request) { request throws(VolumeFailure) in
                request.replyAttributes(try request.volume.attributes(number))
            }
        }
        unsafe all.setattr = { request, number, status, set, _ in
            unsafe Request.serve(request) { request throws(VolumeFailure) in
                guard let status = unsafe status?.pointee else { throw VolumeFailure(EINVAL) }
                request.replyAttributes(
                    try request.volume.setAttributes(number, AttributeChanges(status, set)))
            }
        }
        unsafe all.getxattr = { request, number, name, size in
            unsafe Request.serve(request) { request throws(VolumeFailure) in
                let value = try request.volume.extendedAttribute(number, unsafe bytesOf(name))
                request.reply(attribute: value, size: size)
            }
        }
        unsafe all.setxattr = { request, number, name, value, size, flags in
            unsafe Request.serve(request) { request throws(VolumeFailure) in
                let value = unsafe Array(UnsafeRawBufferPointer(start: value, count: size))
                try request.volume.setExtendedAttribute(number, unsafe bytesOf(name), value, flags: flags)
                request.succeed()
            }
        }
        unsafe all.listxattr = { request, number, size in
            unsafe Request.serve(request) { request throws(VolumeFailure) in
                let names = try request.volume.extendedAttributeNames(number)
                request.reply(attribute: names.flatMap { $0 + [0] }, size: size)
            }
        }
        unsafe all.removexattr = { request, number, name in
            unsafe Request.serve(request) { request throws(VolumeFailure) in
                try request.volume.removeExtendedAttribute(number, unsafe bytesOf(name))
                request.succeed()
            }
        }
    }
}

/// Answers with the entries from a position on, as many as there is room for.
private func answerList(
    _ request: Request, _ size: Int, _ first: Int, _ info: UnsafeMutablePointer<fuse_file_info>?,
    _ append: (Listing.Entry, Int, UnsafeMutableRawBufferPointer) -> Int
) throws(VolumeFailure) {
    let listing = unsafe Unmanaged<Listing>.fromOpaque(pointerOf(info)).takeUnretainedValue()
    let entries = try listing.entries(from: max(0, first))
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 8)
    defer { unsafe buffer.deallocate() }
    var used = 0
    for index in entries.indices where !entries[index].isRemoved {
        let room = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[used...])
        let count = unsafe append(entries[index], index + 1, room)
        guard count <= room.count else { break }
        used += count
    }
    unsafe request.reply(UnsafeRawBufferPointer(rebasing: buffer[..<used]))
}

private func pointerOf(_ info: UnsafeMutablePointer<fuse_file_info>?) -> UnsafeRawPointer {
    guard let info = unsafe info, let pointer = unsafe UnsafeRawPointer(bitPattern: UInt(info.pointee.fh)) else {
        preconditionFailure("the kernel names a listing that it was given")
    }
    return unsafe pointer
}

private func bytesOf(_ text: UnsafePointer<CChar>?) -> [UInt8] {
    guard let text = unsafe text else { return [] }
    return unsafe Array(UnsafeRawBufferPointer(start: text, count: strlen(text)))
}

extension EntryName {
    fileprivate init(_ text: UnsafePointer<CChar>?) throws(VolumeFailure) {
        try self.init(unsafe bytesOf(text))
    }
}

extension AttributeChanges {
    /// - Parameter set: which of the values count: `FUSE_SET_ATTR_MODE` and its like.
    fileprivate init(_ status: stat, _ set: Int32) {
        self.init()
        if set & FUSE_SET_ATTR_MODE != 0 { permissions = status.st_mode & 0o7777 }
        if set & FUSE_SET_ATTR_UID != 0 { owner = status.st_uid }
        if set & FUSE_SET_ATTR_GID != 0 { group = status.st_gid }
        if set & FUSE_SET_ATTR_SIZE != 0 { size = UInt64(max(0, status.st_size)) }
        var times = FileTimes()
        if set & FUSE_SET_ATTR_ATIME != 0 { times.access = status.st_atim }
        if set & FUSE_SET_ATTR_ATIME_NOW != 0 { times.access = FileTimes.now }
        if set & FUSE_SET_ATTR_MTIME != 0 { times.change = status.st_mtim }
        if set & FUSE_SET_ATTR_MTIME_NOW != 0 { times.change = FileTimes.now }
        if set & (FUSE_SET_ATTR_ATIME | FUSE_SET_ATTR_ATIME_NOW | FUSE_SET_ATTR_MTIME | FUSE_SET_ATTR_MTIME_NOW) != 0 {
            self.times = times
        }
    }
}
