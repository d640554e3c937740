import Glibc
import LatchkeyPlainText

@_implementationOnly import CLatchkeyShims

/// Writes signatures into the note of a program's file.
package enum SignatureWriter {
    /// Writes a signature, or removes it with nil. The program is copied to the same directory, the copy is checked and
    /// then renamed over it: a start of the program finds the old file or the new one, and a running one is not
    /// disturbed. Owner, mode, and access control lists stay. A link is followed.
    package static func write(_ signature: ProgramSignature?, intoFileAt path: String) throws(SignatureFailure) {
        let path = try realPath(path)
        let source = try OpenFile(path: path, flags: O_RDONLY)
        let image = try ExecutableImage(descriptor: source.number)
        guard image.kind != .script else { throw .script }
        guard let place = image.noteRanges.first else {
            if signature == nil { return }
            throw .noPlace
        }
        let digest = try image.digest()
        try signature?.check(digest: digest)
        let descriptor = try SignatureNote.descriptor(holding: signature?.encoded() ?? [])

        let copy = try TemporaryCopy(of: source, at: path)
        try copy.file.write([UInt8](repeating: 0, count: descriptor.count), at: image.noteRanges.map(\.lowerBound))
        try copy.file.write(descriptor, at: [place.lowerBound])
        let written = try ExecutableImage(descriptor: copy.file.number)
        guard try written.digest() == digest, try written.embeddedSignature() == signature else {
            throw .unwritable("the file was changed meanwhile")
        }
        // Last, because writing removes set-group-ID bits and file capabilities.
        try copy.copyAttributes(of: source)
        try copy.replaceOriginal()
    }

    private static func realPath(_ path: String) throws(SignatureFailure) -> String {
        guard let resolved = unsafe realpath(path, nil) else { throw .unreadable(errorText(errno)) }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }
}

/// A descriptor that is closed with its owner.
private final class OpenFile {
    let number: Int32

    /// Does not wait for the other end if the path is a pipe.
    init(path: String, flags: Int32) throws(SignatureFailure) {
        number = unsafe open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard number >= 0 else { throw .unreadable(errorText(errno)) }
    }

    init(number: Int32) {
        self.number = number
    }

    deinit {
        if number >= 0 { close(number) }
    }

    func write(_ bytes: [UInt8], at offsets: [UInt64]) throws(SignatureFailure) {
        for offset in offsets {
            let count = unsafe pwrite(number, bytes, bytes.count, off_t(offset))
            guard count == bytes.count else { throw .unwritable(errorText(count < 0 ? errno : ENOSPC)) }
        }
    }
}

/// A copy of a program in the program's directory, until it replaces the program.
private final class TemporaryCopy {
    let file: OpenFile
    private let path: String
    private let original: String
    private var isInPlace = false

    init(of source: OpenFile, at original: String) throws(SignatureFailure) {
        var template = Array((original + ".XXXXXX").utf8CString)
        let number = unsafe mkstemp(&template)
        guard number >= 0 else { throw .unwritable(errorText(errno)) }
        file = OpenFile(number: number)
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        self.original = original
        try copyContent(of: source)
    }

    deinit {
        if !isInPlace { _ = unsafe unlink(path) }
    }

    func replaceOriginal() throws(SignatureFailure) {
        guard fsync(file.number) == 0, unsafe rename(path, original) == 0 else { throw .unwritable(errorText(errno)) }
        isInPlace = true
        // The program is complete either way, and some file systems do not support this.
        if let folder = try? OpenFile(path: PathText.directory(of: original), flags: O_RDONLY | O_DIRECTORY) {
            fsync(folder.number)
        }
    }

    private func copyContent(of source: OpenFile) throws(SignatureFailure) {
        let pieceByteCount = 1 << 20
        var position: off_t = 0
        let memory = UnsafeMutableRawPointer.allocate(byteCount: pieceByteCount, alignment: 4096)
        defer { unsafe memory.deallocate() }
        while true {
            let count = unsafe pread(source.number, memory, pieceByteCount, position)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw .unreadable(errorText(errno)) }
            guard count > 0 else { return }
            guard unsafe pwrite(file.number, memory, count, position) == count else {
                throw .unwritable(errorText(errno == 0 ? ENOSPC : errno))
            }
            position += off_t(count)
        }
    }

    /// The owner first: a change of owner removes the set-user-ID and set-group-ID bits.
    func copyAttributes(of source: OpenFile) throws(SignatureFailure) {
        var wanted = stat()
        var found = stat()
        guard unsafe fstat(source.number, &wanted) == 0, unsafe fstat(file.number, &found) == 0 else {
            throw .unreadable(errorText(errno))
        }
        if wanted.st_uid != found.st_uid || wanted.st_gid != found.st_gid {
            guard fchown(file.number, wanted.st_uid, wanted.st_gid) == 0 else {
                throw .unwritable("its owner cannot be kept: " + errorText(errno))
            }
        }
        let mode = wanted.st_mode & 0o7777
        guard fchmod(file.number, mode) == 0, unsafe fstat(file.number, &found) == 0, found.st_mode & 0o7777 == mode
        else { throw .unwritable("its mode cannot be kept") }
        for name in ["system.posix_acl_access", "security.capability"] {
            let outcome = unsafe lk_file_copy_attribute(source.number, file.number, name)
            guard outcome == 0 else { throw .unwritable("its \(name) cannot be kept: " + errorText(-outcome)) }
        }
    }
}
