import Glibc

/// Files that a conversion left behind because it was killed in the moment of taking a place.
package enum LeftoverFiles {
    private static let prefix = ".latchkey-swap-"

    /// A name that says which file is to be replaced.
    static func newName(for former: stat) -> FileName {
        FileName("\(prefix)\(former.st_ino)-\(String(UInt64.random(in: 0...UInt64.max), radix: 36))")
    }

    package static func isNamed(_ name: FileName) -> Bool { name.bytes.starts(with: prefix.utf8) }

    /// The use that a leftover file still has.
    package enum Worth: Sendable {
        /// Another file has everything that it has.
        case none
        /// A conversion that runs has it locked, or has just ended.
        case inUse
        /// Its content may be the only one, or cannot be read.
        case unknown
    }

    /// Removes a leftover file of which another one has everything. Does nothing to a file that is in use, or whose
    /// content may be the only one.
    package static func remove(_ place: FilePlace) -> Worth { worth(of: place) { place.directory.remove(place.name) } }

    /// The same without removing it.
    package static func worth(of place: FilePlace) -> Worth { worth(of: place) {} }

    /// - Parameter remove: called for a file of no worth, while it is locked.
    private static func worth(of place: FilePlace, _ remove: () -> Void) -> Worth {
        guard isNamed(place.name), let number = number(in: place.name),
            let descriptor = try? place.directory.file(place.name, O_RDWR), let status = try? descriptor.status()
        else {
            // One that is gone by now was of a conversion that has ended.
            return (try? place.directory.status(of: place.name)) == nil ? .inUse : .unknown
        }
        guard descriptor.lockAtOnce() else { return .inUse }
        // The new file, before it was swapped in: the former one still has its name.
        if UInt64(status.st_ino) != number {
            guard stillHas(place.directory, number) else { return .unknown }
            remove()
            return .none
        }
        // The former file: the one that was swapped in was whole by then, and has its time and size.
        guard status.st_nlink == 1, hasSuccessor(place, status) else { return .unknown }
        remove()
        return .none
    }

    /// Returns true if a file of this number is in the directory under another name.
    private static func stillHas(_ directory: OpenDirectory, _ number: UInt64) -> Bool {
        others(in: directory).contains { UInt64($0.status.st_ino) == number }
    }

    private static func hasSuccessor(_ place: FilePlace, _ former: stat) -> Bool {
        others(in: place.directory).contains { other in
            guard other.status.isFromSameTime(as: former), let descriptor = try? place.directory.file(other.name)
            else { return false }
            // One of the two is protected and the other one is not, and they have the same length.
            let own = try? place.directory.file(place.name)
            guard let own, let lengths = try? (own.contentLength, descriptor.contentLength),
                let kinds = try? (own.isProtected, descriptor.isProtected)
            else { return false }
            return kinds.0 != kinds.1 && lengths.0 == lengths.1
        }
    }

    private static func others(in directory: OpenDirectory) -> [(name: FileName, status: stat)] {
        ((try? directory.names()) ?? []).filter { !isNamed($0) }.compactMap { name in
            guard let status = try? directory.status(of: name), status.st_mode & S_IFMT == S_IFREG else { return nil }
            return (name, status)
        }
    }

    private static func number(in name: FileName) -> UInt64? {
        name.text.dropFirst(prefix.count).split(separator: "-").first.flatMap { UInt64($0) }
    }
}
