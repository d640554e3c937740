import Glibc
import LatchkeyFileAccess
import LatchkeyFileFormat
import LatchkeyItemModel
import LatchkeyKeychainMessages

/// Verifies everything that a volume stores: names, identifiers, targets, attributes, and the content of every file whose
/// key the device gives out.
///
/// For a volume that is opened and not mounted. One opened for writing can be repaired: remnants of operations that were
/// cut off are removed and damaged header copies replaced. Nothing else is changed, moved or removed.
package struct VolumeCheck {
    /// The counts and findings of a check.
    package struct Result: Sendable, Equatable {
        package var files = 0
        package var directories = 0
        package var links = 0
        package var others = 0
        /// The bytes of the files that were verified.
        package var bytes: UInt64 = 0
        /// Files whose content was not verified, because the device is locked for their class.
        package var lockedFiles = 0
        package var findings: [VolumeFinding] = []
        /// True if the check was ended before it was done.
        package var isCancelled = false
    }

    /// An entry that is still to be looked at.
    private struct Task {
        let parent: VolumeNode.OpenDirectory
        let name: FileName
        let path: [[UInt8]]
        let stored: [[UInt8]]
    }

    private let volume: Volume
    private let repairs: Bool
    private let advance: (UInt64) -> Bool
    private var result = Result()
    private var tasks: [Task] = []
    private var seenFiles: Set<FileIdentity> = []
    private var seenIdentifiers: Set<[UInt8]> = []
    /// The stored bytes of the present file that were reported.
    private var reported: UInt64 = 0

    /// - Parameters:
    ///   - repairs: the volume was opened for writing.
    ///   - advance: called with the stored bytes that are verified now, many times within a long file; false ends the check.
    package static func run(
        on volume: Volume, repairs: Bool, advance: @escaping (UInt64) -> Bool = { _ in true }
    ) -> Result {
        var check = VolumeCheck(volume, repairs, advance)
        check.run()
        return check.result
    }

    /// The bytes that the files of a volume take, for ``run(on:repairs:advance:)`` to compare with.
    package static func storedByteCount(of volume: Volume) -> UInt64 {
        var count: UInt64 = 0
        guard let root = volume.nodes.node(Volume.rootNumber)?.directory?.backing else { return 0 }
        var directories = [root]
        while let directory = directories.popLast() {
            for entry in (try? directory.entries()) ?? [] {
                switch StoredName.entry(entry.name) {
                case .sealed, .long: break
                case .longName, .unfinished, .foreign: continue
                }
                guard let status = try? directory.status(of: entry.name) else { continue }
                switch VolumeNode.Kind(mode: status.st_mode) {
                case .file: count += UInt64(max(0, status.st_size))
                case .directory: if let below = try? directory.directory(entry.name) { directories.append(below) }
                case .link, .other: break
                }
            }
        }
        return count
    }

    private init(_ volume: Volume, _ repairs: Bool, _ advance: @escaping (UInt64) -> Bool) {
        self.volume = volume
        self.repairs = repairs && !volume.isReadOnly
        self.advance = advance
    }

    private mutating func run() {
        checkStorage()
        guard let root = volume.nodes.node(Volume.rootNumber)?.directory else { return }
        seenIdentifiers.insert(root.identifier.bytes)
        result.directories += 1
        list(root, path: [], stored: [VolumeDescription.contentName.bytes])
        while let task = tasks.popLast() {
            guard check(task) else {
                result.isCancelled = true
                return
            }
        }
    }

    /// The entries beside the description and the root.
    private mutating func checkStorage() {
        let known = [VolumeDescription.fileName, VolumeDescription.contentName]
        for entry in (try? volume.storage.entries()) ?? [] where !known.contains(entry.name) {
            if case .unfinished = StoredName.entry(entry.name) {
                remnant(entry.name, in: volume.storage, path: [], stored: [])
            } else {
                find(.foreign, [entry.name.bytes], [entry.name.bytes])
            }
        }
    }

    /// Puts the entries of a directory before those that wait, so that few directories are open at a time.
    private mutating func list(_ directory: VolumeNode.OpenDirectory, path: [[UInt8]], stored: [[UInt8]]) {
        let names: [FileName]
        do throws(VolumeFailure) {
            names = try directory.backing.entries().map(\.name)
        } catch {
            return find(.unreadable(error.number), path, stored)
        }
        let present = Set(names)
        for name in names {
            switch StoredName.entry(name) {
            case .sealed, .long:
                tasks.append(Task(parent: directory, name: name, path: path, stored: stored))
            case .longName(let entry):
                if !present.contains(entry) { remnant(name, in: directory.backing, path: path, stored: stored) }
            case .unfinished: remnant(name, in: directory.backing, path: path, stored: stored)
            case .foreign: find(.foreign, path + [name.bytes], stored + [name.bytes])
            }
        }
    }

    /// Returns false if the check is to end.
    private mutating func check(_ task: Task) -> Bool {
        let stored = task.stored + [task.name.bytes]
        guard let name = volume.name(of: task.name, in: task.parent) else {
            find(isForeign(task.name) ? .foreign : .foreignName, task.path + [task.name.bytes], stored)
            return advance(0)
        }
        let path = task.path + [name.bytes]
        do throws(VolumeFailure) {
            let status = try task.parent.backing.status(of: task.name)
            switch VolumeNode.Kind(mode: status.st_mode) {
            case .file:
                reported = 0
                try checkFile(task, status, path, stored)
                let size = UInt64(max(0, status.st_size))
                return !result.isCancelled && advance(size - min(size, reported))
            case .directory: try checkDirectory(task, path, stored)
            case .link: try checkLink(task, path, stored)
            case .other: result.others += 1
            }
        } catch {
            find(.unreadable(error.number), path, stored)
        }
        return advance(0)
    }

    /// True if the entry's name cannot be a sealed one of any volume: too short, or of a length that none has.
    private func isForeign(_ name: FileName) -> Bool {
        guard case .sealed(let sealed) = StoredName.entry(name) else { return false }
        return !NameSeals.isSealedNameByteCount(sealed.count)
    }

    private mutating func checkDirectory(_ task: Task, _ path: [[UInt8]], _ stored: [[UInt8]]) throws(VolumeFailure) {
        result.directories += 1
        let backing = try task.parent.backing.directory(task.name)
        let value = try backing.descriptor.attribute(Volume.identifierAttribute)
        guard let identifier = value.flatMap(DirectoryIdentifier.init) else { return find(.noIdentifier, path, stored) }
        if !seenIdentifiers.insert(identifier.bytes).inserted { find(.repeatedIdentifier, path, stored) }
        try checkAttributes(of: backing.descriptor, identifier.bytes, path, stored)
        list(VolumeNode.OpenDirectory(backing: backing, identifier: identifier), path: path, stored: stored)
    }

    private mutating func checkLink(_ task: Task, _ path: [[UInt8]], _ stored: [[UInt8]]) throws(VolumeFailure) {
        result.links += 1
        let text = try task.parent.backing.target(of: task.name)
        guard SealedText.decode(text).flatMap({ volume.seals.openTarget($0) }) == nil else { return }
        find(.damagedTarget, path, stored)
    }

    private mutating func checkFile(
        _ task: Task, _ status: stat, _ path: [[UInt8]], _ stored: [[UInt8]]
    ) throws(VolumeFailure) {
        if status.st_nlink > 1 {
            // Another name of a file is checked once.
            guard seenFiles.insert(FileIdentity(status)).inserted else { return }
        }
        result.files += 1
        // A crash came between the file and its first header: an empty file.
        guard status.st_size > 0 else { return }
        let descriptor = try task.parent.backing.open(task.name, O_RDONLY)
        do throws(AccessFailure) {
            let envelopes = try FileEnvelope.readable(in: DescriptorBacking(descriptor: descriptor.number))
            if let identifier = envelopes.first?.identifier {
                if !seenIdentifiers.insert(identifier).inserted { find(.repeatedIdentifier, path, stored) }
                do throws(VolumeFailure) {
                    try checkAttributes(of: descriptor, identifier, path, stored)
                } catch {
                    throw .system(call: "getxattr", errno: error.number)
                }
            }
            try checkContent(descriptor, task, status, path, stored)
        } catch {
            guard !result.isCancelled else { return }
            guard let kind = Self.kind(of: error) else {
                result.lockedFiles += 1
                return
            }
            find(kind, path, stored)
        }
    }

    private mutating func checkContent(
        _ descriptor: OwnedDescriptor, _ task: Task, _ status: stat, _ path: [[UInt8]], _ stored: [[UInt8]]
    ) throws(AccessFailure) {
        let file = try volume.vault.open(descriptor, forWriting: false)
        let found = try check(file)
        result.bytes += try file.size()
        if !found.isIntact { find(.damagedContent(found.damaged), path, stored) }
        guard found.damagedHeaderCopies > 0 else { return }
        find(.damagedHeaderCopy(isRepaired: repairs && replaceHeaderCopy(task, status)), path, stored)
    }

    /// Verifies a file. It may be a long one: the bytes are reported while it goes on.
    private mutating func check(_ file: OpenFile) throws(AccessFailure) -> FileCheck {
        var (count, isCancelled): (UInt64, Bool) = (0, false)
        defer {
            reported += count
            if isCancelled { result.isCancelled = true }
        }
        return try file.check { [advance] read in
            count += UInt64(read)
            isCancelled = !advance(UInt64(read))
            return !isCancelled
        }
    }

    /// Opening for writing writes both copies. The file keeps its times.
    private func replaceHeaderCopy(_ task: Task, _ status: stat) -> Bool {
        guard let descriptor = try? task.parent.backing.open(task.name, O_RDWR),
            let file = try? volume.vault.open(descriptor, forWriting: true),
            let found = try? file.check(proceed: { _ in advance(0) })
        else { return false }
        try? descriptor.setTimes(FileTimes(access: status.st_atim, change: status.st_mtim))
        return found.damagedHeaderCopies == 0
    }

    private mutating func checkAttributes(
        of descriptor: OwnedDescriptor, _ owner: [UInt8], _ path: [[UInt8]], _ stored: [[UInt8]]
    ) throws(VolumeFailure) {
        for name in try descriptor.attributeNames() where name.hasPrefix(Volume.storedAttributePrefix) {
            guard try !volume.isAttribute(name, of: owner, in: descriptor) else { continue }
            return find(.damagedAttribute, path, stored)
        }
    }

    private mutating func remnant(
        _ name: FileName, in directory: BackingDirectory, path: [[UInt8]], stored: [[UInt8]]
    ) {
        let isRemoved = repairs && ((try? directory.removeRemnant(name)) != nil)
        find(.remnant(isRemoved: isRemoved), path + [name.bytes], stored + [name.bytes])
    }

    private mutating func find(_ kind: VolumeFinding.Kind, _ path: [[UInt8]], _ stored: [[UInt8]]) {
        result.findings.append(VolumeFinding(path: path, stored: stored, kind: kind))
    }

    /// Nil if the device is locked for the file.
    private static func kind(of failure: AccessFailure) -> VolumeFinding.Kind? {
        switch failure {
        case .refused(let refusal) where refusal.code == .interactionNotAllowed: nil
        case .refused(let refusal): refusal.code == FileKeyRefusal.keyNotHere.code ? .noKey : .unreadable(EPERM)
        case .file(.newerVersion(let version)): .newerVersion(version)
        case .file(.backing(let failure)): .unreadable(VolumeFailure(.file(.backing(failure))).number)
        case .file, .unknownClass: .damagedHeader
        case .notProtected: .notProtected
        case .system(_, let number): .unreadable(number)
        case .inUse: .unreadable(EBUSY)
        }
    }
}
