import Glibc
import LatchkeyBackupFormat
import LatchkeyFileAccess
import LatchkeyFileFormat
import LatchkeyKeybag

/// The content of a file that is backed up, as a program would read it.
struct SourceContent {
    private enum Source {
        case protected(OpenFile)
        case clear(OwnedDescriptor)
    }

    private let source: Source
    let descriptor: OwnedDescriptor
    /// Of a protected file and of a file on a volume; nil for a file in clear.
    let protection: FileProtection?
    /// The database that a protected file belongs to.
    let tie: FileTie?
    let size: UInt64

    init(_ place: FilePlace, _ vault: FileVault) throws(AccessFailure) {
        descriptor = try place.directory.file(place.name)
        if try descriptor.isProtected {
            // A descriptor of its own: the open file keeps it longer than this value lives.
            let file = try vault.open(place.directory.file(place.name), forWriting: false)
            source = .protected(file)
            protection = file.protection
            tie = try file.tie()
            size = try file.size()
        } else {
            source = .clear(descriptor)
            protection = VolumeProtection.of(descriptor)
            tie = nil
            size = UInt64(max(0, try descriptor.status().st_size))
        }
    }

    /// Reads until the buffer is full or the content ends.
    func read(at offset: UInt64, into bytes: UnsafeMutableRawBufferPointer) throws(AccessFailure) -> Int {
        switch source {
        case .protected(let file): try unsafe file.read(at: offset, into: bytes)
        case .clear(let descriptor): try unsafe descriptor.read(at: offset, into: bytes)
        }
    }
}

extension ReadAhead where Failure == AccessFailure {
    /// A file that grows meanwhile ends where it ended.
    convenience init(_ content: SourceContent) {
        var offset: UInt64 = 0
        unsafe self.init(expecting: content.size) { bytes throws(AccessFailure) in
            let wanted = Int(min(content.size - min(offset, content.size), UInt64(bytes.count)))
            guard wanted > 0 else { return 0 }
            let count = try unsafe content.read(at: offset, into: .init(rebasing: bytes[..<wanted]))
            offset += UInt64(count)
            return count
        }
    }
}
