import Glibc
package import LatchkeyFileFormat
package import LatchkeyKeybag

/// One pass over a tree that changes or checks its files, one after the other.
///
/// A file that cannot be done is reported, and the work goes on. Ending at any moment leaves each file as it was or done.
package struct TreeWork {
    package enum Deed: Sendable {
        /// Files in clear become protected ones, and directories get the class.
        case protect(FileProtection, changesOthers: Bool)
        /// Protected files become files in clear, and directories lose their class.
        case unprotect
        /// Protected files are read and verified.
        case check
    }

    package enum Event {
        /// Bytes of the file that is worked on.
        case advanced(Int)
        /// The bytes of a file that is done without them: its class was changed, or is the right one.
        case passed(UInt64)
        /// A file, or a directory that changed, is done.
        case done(FilePlace?)
        case failed(path: String, ConversionFailure)
        /// An entry is left as it is.
        case left(path: String, LeftReason)
        /// A file has damage.
        case damaged(FilePlace, FileCheck)
    }

    private let vault: FileVault
    private let deed: Deed
    /// Returns false to end.
    private let report: (Event) -> Bool

    package init(_ deed: Deed, _ vault: FileVault, report: @escaping (Event) -> Bool) {
        self.deed = deed
        self.vault = vault
        self.report = report
    }

    package func run(
        on tree: FileTree, excluding isExcluded: (OpenDirectory) -> Bool
    ) throws(AccessFailure) {
        try tree.visit(excluding: isExcluded) { entry in
            do throws(ConversionFailure) {
                switch entry {
                case .directory(let directory): return try work(on: directory)
                case .file(let place, let file): return try work(on: place, file)
                case .left(let path, let reason): return leave(path, reason)
                }
            } catch {
                if case .cancelled = error { return false }
                switch entry {
                case .directory(let directory): return report(.failed(path: directory.path, error))
                case .file(let place, _): return report(.failed(path: place.path, error))
                case .left: return true
                }
            }
        }
    }

    /// Tells of an entry that is left as it is, if it might be one of those that the deed is about.
    private func leave(_ path: String, _ reason: LeftReason) -> Bool {
        switch (deed, reason) {
        case (.protect, _), (_, .damagedHeader), (_, .unreadable), (_, .otherFileSystem), (_, .device):
            report(.left(path: path, reason))
        default: true
        }
    }

    private func work(on directory: OpenDirectory) throws(ConversionFailure) -> Bool {
        let own = DirectoryProtection.own(ofDirectoryAt: directory.ownPath)
        switch deed {
        case .check: return true
        case .protect(let protection, let changesOthers):
            guard own == nil || changesOthers && own != protection else { return true }
            try converting { () throws(AccessFailure) in
                try DirectoryProtection.set(protection, ofDirectoryAt: directory.ownPath)
            }
        case .unprotect:
            guard own != nil else { return true }
            try converting { () throws(AccessFailure) in
                try DirectoryProtection.remove(ofDirectoryAt: directory.ownPath)
            }
        }
        return report(.done(nil))
    }

    private func work(on place: FilePlace, _ file: TreeFile) throws(ConversionFailure) -> Bool {
        if case .leftover = file { return work(onLeftover: place) }
        let proceed = { (count: Int) in report(.advanced(count)) }
        switch (deed, file) {
        case (.protect(let protection, _), .clear):
            try vault.protect(place, protection, proceed: proceed)
        case (.protect(let protection, changesOthers: true), .protected(let stored, let byteCount)):
            guard stored.protection != protection else { return report(.passed(byteCount)) }
            try converting { () throws(AccessFailure) in try vault.setProtection(protection, of: place) }
            // In any case the end of this file: it has got its class.
            return report(.passed(byteCount)) && report(.done(place))
        case (.unprotect, .protected(.file, _)):
            try vault.unprotect(place, proceed: proceed)
        case (.check, .protected(.file, _)):
            let result = try vault.check(place, proceed: proceed)
            guard result.isIntact else { return report(.damaged(place, result)) }
        case (_, .left(let reason)): return leave(place.path, reason)
        default: return true
        }
        return report(.done(place))
    }
}

extension TreeWork {
    /// Removes a leftover file of which another one has everything, and tells of one that stays: it may be in clear.
    private func work(onLeftover place: FilePlace) -> Bool {
        let isCheck = if case .check = deed { true } else { false }
        switch isCheck ? LeftoverFiles.worth(of: place) : LeftoverFiles.remove(place) {
        case .none where !isCheck, .inUse: return true
        case .none, .unknown: return report(.left(path: place.path, .leftover))
        }
    }
}

extension FileVault {
    /// Changes the class of a protected file, or of one on a volume.
    package func setProtection(_ protection: FileProtection, of place: FilePlace) throws(AccessFailure) {
        let descriptor = try place.directory.file(place.name, O_RDWR)
        if VolumeProtection.of(descriptor) != nil { return try VolumeProtection.set(protection, of: descriptor) }
        try descriptor.lock(alone: true)
        let status = try descriptor.status()
        try OpenFile(descriptor, .readWrite, in: self).setProtection(protection)
        // The time of access is that of before the header was read.
        descriptor.setTimes(of: status)
    }

    /// Reads and verifies a protected file.
    package func check(
        _ place: FilePlace, proceed: (Int) -> Bool = { _ in true }
    ) throws(ConversionFailure) -> FileCheck {
        var isCancelled = false
        do throws(AccessFailure) {
            let descriptor = try place.directory.file(place.name)
            try descriptor.lock(alone: false)
            return try OpenFile(descriptor, .readOnly, in: self).check { count in
                isCancelled = !proceed(count)
                return !isCancelled
            }
        } catch {
            throw isCancelled ? .cancelled : .access(error)
        }
    }
}
