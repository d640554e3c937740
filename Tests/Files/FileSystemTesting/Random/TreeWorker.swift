import Glibc
import LatchkeyTestSupport

/// One thread's tree and its model.
final class TreeWorker: @unchecked Sendable {
    // Sendable because one thread at a time uses it: the runner waits for all before it goes on.
    private enum Operation: CaseIterable {
        case makeDirectory, create, write, unlink, removeDirectory, rename, renameRefusing, exchange, link, symlink
        case changeMode, setTimes, list

        var weight: Int {
            switch self {
            case .rename: 6
            case .makeDirectory, .create: 4
            case .write, .unlink, .link: 3
            case .removeDirectory, .exchange, .symlink: 2
            case .renameRefusing, .changeMode, .setTimes, .list: 1
            }
        }
    }

    private static let weighted = Operation.allCases.flatMap { [Operation](repeating: $0, count: $0.weight) }
    /// Few names, so that they meet; long and odd ones among them.
    private static let names: [Path] =
        ["a", "b", "c", "d", "-e", ".f", "g g", "h\nh", Path(bytes: [0xFF, 0xFE])]
        + [150, 176, 255].map { Path(String(repeating: "l", count: $0)) }

    private let directory: TestDirectory
    private let root = TreeNode(.directory([:]))
    private var random: SplitMix
    private var done = 0
    private var mayExchange = true
    private(set) var history: [String] = []

    init(_ directory: TestDirectory, _ random: SplitMix) {
        self.directory = directory
        self.random = random
    }

    func perform(_ count: Int) throws {
        for _ in 0..<count {
            done += 1
            try perform(Self.weighted[number(below: Self.weighted.count)])
            if done % 250 == 0 { try verify() }
        }
    }

    // MARK: - Operations

    private func perform(_ operation: Operation) throws {
        let place = place()
        switch operation {
        case .makeDirectory:
            try attempt("mkdir \(place.path)", place.node == nil ? nil : EEXIST) {
                try directory.makeDirectory(place.path)
            } then: {
                place.parent.children[place.name] = TreeNode(.directory([:]))
            }
        case .create:
            let bytes = newBytes()
            try attempt("create \(place.path)", place.node == nil ? nil : EEXIST) {
                try directory.create(place.path, bytes).close()
            } then: {
                place.parent.children[place.name] = TreeNode(.file(bytes))
            }
        case .write:
            try write(place)
        case .unlink:
            let wanted: Int32? = place.node.map { $0.isDirectory ? EISDIR : nil } ?? ENOENT
            try attempt("unlink \(place.path)", wanted) {
                try directory.unlink(place.path)
            } then: {
                remove(place)
            }
        case .removeDirectory:
            let wanted: Int32? =
                place.node.map { !$0.isDirectory ? ENOTDIR : $0.children.isEmpty ? nil : ENOTEMPTY } ?? ENOENT
            try attempt("rmdir \(place.path)", wanted) {
                try directory.removeDirectory(place.path)
            } then: {
                remove(place)
            }
        case .rename:
            try rename(place, self.place(), .replacing)
        case .renameRefusing:
            try rename(place, self.place(), .refusing)
        case .exchange:
            try exchange(place, self.place())
        case .link:
            try link(place, self.place())
        case .symlink:
            let target = Path(String(repeating: "target/", count: 1 + number(below: 40)))
            try attempt("symlink \(place.path)", place.node == nil ? nil : EEXIST) {
                try directory.symlink(target, place.path)
            } then: {
                place.parent.children[place.name] = TreeNode(.link(target))
            }
        case .changeMode:
            guard let node = place.node, !node.isLink else { return }
            let mode: UInt32 = 0o700 | UInt32(number(below: 64))
            try attempt("chmod \(place.path)", nil) {
                try directory.changeMode(place.path, mode)
            } then: {
                node.mode = mode
            }
        case .setTimes:
            guard let node = place.node else { return }
            let time = Int64(number(below: 2_000_000_000)) * 1_000_000_000 + Int64(number(below: 1_000_000_000))
            try attempt("utimensat \(place.path)", nil) {
                try directory.setTimes(place.path, accessed: time, modified: time, following: false)
            } then: {
                node.modified = time
            }
        case .list:
            guard let node = place.node, node.isDirectory else { return }
            note("list \(place.path)")
            try equal(directory.names(place.path), node.children.keys.sorted(), "names in \(place.path)")
        }
    }

    private func write(_ place: TreePlace) throws {
        guard let node = place.node, !node.isLink else { return }
        let bytes = newBytes()
        try attempt("write \(place.path)", node.isDirectory ? EISDIR : nil) {
            let file = try directory.open(place.path, O_WRONLY | O_TRUNC)
            try file.write(bytes, at: 0)
            try file.close()
        } then: {
            node.content = .file(bytes)
            node.modified = nil
        }
    }

    private func link(_ place: TreePlace, _ other: TreePlace) throws {
        // In the order in which Linux looks.
        let wanted: Int32? =
            place.node == nil ? ENOENT : other.node != nil ? EEXIST : place.node?.isDirectory == true ? EPERM : nil
        // A file system need not have second names of links.
        let isLink = place.node?.isLink == true
        try attempt("link \(place.path) as \(other.path)", wanted, orRefused: isLink ? [EPERM, EOPNOTSUPP] : []) {
            try directory.link(place.path, other.path)
        } then: {
            place.node?.links += 1
            other.parent.children[other.name] = place.node
        }
    }

    private func rename(_ place: TreePlace, _ other: TreePlace, _ renaming: TestDirectory.Renaming) throws {
        let wanted: Int32? =
            if let node = place.node {
                if renaming == .refusing, other.node != nil {
                    EEXIST
                } else if node.isDirectory, node.contains(other.parent) {
                    EINVAL
                } else if let target = other.node, target.isDirectory, target.contains(place.parent) {
                    ENOTEMPTY
                } else if let target = other.node, target !== node {
                    node.isDirectory != target.isDirectory
                        ? (node.isDirectory ? ENOTDIR : EISDIR) : target.children.isEmpty ? nil : ENOTEMPTY
                } else {
                    nil
                }
            } else {
                ENOENT
            }
        let unsupported = renaming == .refusing ? [EINVAL, ENOSYS] : []
        try attempt("rename (\(renaming)) \(place.path) to \(other.path)", wanted, orRefused: unsupported) {
            try directory.rename(place.path, other.path, renaming)
        } then: {
            guard let node = place.node, other.node !== node else { return }
            if other.node != nil { remove(other) }
            place.parent.children[place.name] = nil
            other.parent.children[other.name] = node
        }
    }

    private func exchange(_ place: TreePlace, _ other: TreePlace) throws {
        guard mayExchange, let node = place.node, let target = other.node else { return }
        let isBelow =
            node.isDirectory && node.contains(other.parent) || target.isDirectory && target.contains(place.parent)
        do {
            try attempt("exchange \(place.path) and \(other.path)", isBelow ? EINVAL : nil) {
                try directory.rename(place.path, other.path, .exchanging)
            } then: {
                guard node !== target else { return }
                place.parent.children[place.name] = target
                other.parent.children[other.name] = node
            }
        } catch let mismatch as UnexpectedAnswer where !isBelow && [EINVAL, ENOSYS].contains(mismatch.number) {
            mayExchange = false
        }
    }

    private func remove(_ place: TreePlace) {
        place.node?.links -= 1
        place.parent.children[place.name] = nil
    }

    // MARK: - Comparison

    /// Compares the whole tree with the model.
    func verify() throws {
        var known: [UInt64: TreeNode] = [:]
        try verify(root, at: "", &known)
    }

    private func verify(_ node: TreeNode, at path: Path, _ known: inout [UInt64: TreeNode]) throws {
        let status = try directory.status(path.bytes.isEmpty ? "." : path)
        if let other = known[status.inode], other !== node {
            throw RuleMismatch("\(path): inode \(status.inode) is also that of another file")
        }
        known[status.inode] = node
        if let mode = node.mode { try equal(status.mode, mode, "mode of \(path)") }
        if let modified = node.modified { try equal(status.modified, modified, "time of \(path)") }
        switch node.content {
        case .file(let bytes):
            try equal(status.kind, .regular, "kind of \(path)")
            try equal(status.links, UInt64(node.links), "links of \(path)")
            try equal(bytes: directory.contents(path), bytes, "\(path)")
        case .link(let target):
            try equal(status.kind, .link, "kind of \(path)")
            try equal(directory.readLink(path), target, "target of \(path)")
        case .directory(let children):
            try equal(status.kind, .directory, "kind of \(path)")
            try equal(directory.names(path), children.keys.sorted(), "names in \(path)")
            for (name, child) in children.sorted(by: { $0.key < $1.key }) {
                try verify(child, at: path / name, &known)
            }
        }
    }

    /// An answer that the model did not expect.
    private struct UnexpectedAnswer: Error, CustomStringConvertible {
        let number: Int32
        let description: String
    }

    /// Makes a call, compares its answer with the wanted one, and changes the model if the call succeeded.
    private func attempt(
        _ name: String, _ wanted: Int32?, orRefused refusals: [Int32] = [], _ call: () throws -> Void,
        then change: () -> Void
    ) throws {
        note("\(name): \(wanted.map(ErrorName.of) ?? "works")")
        do {
            try call()
        } catch let failure as CallFailure {
            // Two directories in each other's way: POSIX knows both numbers.
            let isSame = failure.number == wanted || (wanted == ENOTEMPTY && failure.number == EEXIST)
            guard !isSame, !refusals.contains(failure.number) else { return }
            throw UnexpectedAnswer(
                number: failure.number,
                description: "\(failure), expected \(wanted.map(ErrorName.of) ?? "success")")
        }
        if let wanted {
            throw UnexpectedAnswer(number: 0, description: "\(name) succeeded, expected \(ErrorName.of(wanted))")
        }
        change()
    }

    // MARK: - Chance

    /// A name in a random directory, of something that is there or not.
    private func place() -> TreePlace {
        var (parent, path) = (root, Path(""))
        while number(below: 10) < 7 {
            let below = parent.children.filter { $0.value.isDirectory }.sorted { $0.key < $1.key }
            // Paths stay well below what a call takes.
            guard !below.isEmpty, path.bytes.count < 1500 else { break }
            let (name, node) = below[number(below: below.count)]
            (parent, path) = (node, path / name)
        }
        let name = Self.names[number(below: Self.names.count)]
        return TreePlace(path: path / name, parent: parent, name: name)
    }

    private func newBytes() -> [UInt8] {
        pattern(number(below: 4) == 0 ? number(below: 20_000) : number(below: 100), seed: number(below: 1 << 20))
    }

    private func number(below bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

    private func note(_ text: String) {
        history.append("\(done): \(text)")
        if history.count > 25 { history.removeFirst() }
    }
}

extension TreeNode {
    fileprivate var isLink: Bool { if case .link = content { true } else { false } }
}
