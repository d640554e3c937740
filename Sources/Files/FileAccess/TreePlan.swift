package import LatchkeyKeybag

/// The files below a directory, counted by what a change of the tree would do.
package struct TreePlan: Sendable {
    /// A number of files and of the bytes in them.
    package struct Amount: Sendable, Equatable {
        package private(set) var files = 0
        package private(set) var bytes: UInt64 = 0

        mutating func add(_ byteCount: UInt64) {
            files += 1
            bytes &+= byteCount
        }

        mutating func add(_ other: Amount) {
            files += other.files
            bytes &+= other.bytes
        }
    }

    /// Entries that are left as they are, for one reason.
    package struct Left: Sendable {
        package private(set) var count = 0
        /// The first of them.
        package private(set) var examples: [String] = []

        package init() {}

        package mutating func add(_ path: String) {
            count += 1
            if examples.count < TreePlan.exampleCount { examples.append(path) }
        }
    }

    private static let exampleCount = 3

    /// Files in clear.
    package private(set) var clear = Amount()
    /// Files by their class; nil for a class that no release has.
    package private(set) var protected: [FileProtection?: Amount] = [:]
    /// Files on a mounted volume, not among the protected ones.
    package private(set) var onVolume = Amount()
    package private(set) var directories = 0
    package private(set) var left: [LeftReason: Left] = [:]

    package init() {}

    /// The protected files of all classes.
    package var protectedFiles: Amount {
        protected.values.reduce(into: Amount()) { $0.add($1) }
    }

    /// The bytes that a pass which protects the tree reports: those of files in clear, and of the others if it changes their
    /// class.
    package func byteCount(reclass: Bool) -> UInt64 {
        reclass ? clear.bytes &+ protectedFiles.bytes &+ onVolume.bytes : clear.bytes
    }

    /// - Parameter proceed: is told the size of each file, and returns false to end.
    package init(
        _ tree: FileTree, excluding isExcluded: (OpenDirectory) -> Bool, proceed: (UInt64) -> Bool
    ) throws(AccessFailure) {
        var plan = TreePlan()
        try tree.visit(excluding: isExcluded) { entry in
            plan.add(entry)
            guard case .file(_, let file) = entry else { return proceed(0) }
            return proceed(file.byteCount)
        }
        self = plan
    }

    package mutating func add(_ entry: FileTree.Entry) {
        switch entry {
        case .directory: directories += 1
        case .left(let path, let reason): left[reason, default: Left()].add(path)
        case .file(let place, let file):
            switch file {
            case .clear(let byteCount): clear.add(byteCount)
            case .left(let reason): left[reason, default: Left()].add(place.path)
            case .leftover:
                // The others are removed.
                guard case .unknown = LeftoverFiles.worth(of: place) else { return }
                left[.leftover, default: Left()].add(place.path)
            case .protected(let stored, let byteCount):
                guard case .onVolume = stored else {
                    protected[stored.protection, default: Amount()].add(byteCount)
                    return
                }
                onVolume.add(byteCount)
            }
        }
    }
}
