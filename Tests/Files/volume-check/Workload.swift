import LatchkeyKeybag
import LatchkeyTestSupport
import LatchkeyVolume

/// Operations on a volume, chosen by a seed, and what each of them leaves.
struct Workload {
    enum Operation {
        case store([UInt8], String)
        case cut(String, Int)
        case makeDirectory(String)
        case move(String, String)
        case link(String, String)
        case remove(String)
        case setClass(String, FileProtection)
        case setNote(String, [UInt8])
        case makeLink(String, [UInt8])
        case removeDirectory(String)
        case setPermissions(String, UInt32)
        case setTime(String, Int)

        /// The paths whose files an operation that is cut off may leave in between.
        var paths: [String] {
            switch self {
            case .store(_, let path), .cut(let path, _), .remove(let path), .setClass(let path, _),
                .setNote(let path, _), .makeLink(let path, _), .setPermissions(let path, _), .setTime(let path, _):
                [path]
            case .makeDirectory(let path), .removeDirectory(let path): [path + "/"]
            case .move(let path, let other), .link(let path, let other): [path, other]
            }
        }

        /// - Parameter whenDurable: is called when new content is synchronized, and its name not yet.
        func perform(on volume: Volume, whenDurable: () -> Void = {}) throws(VolumeFailure) {
            switch self {
            case .store(let bytes, let path): try volume.store(bytes, in: path, whenDurable: whenDurable)
            case .cut(let path, let size): try volume.cut(path, to: UInt64(size))
            case .makeDirectory(let path): try volume.makeDirectory(path)
            case .move(let path, let other): try volume.move(path, to: other)
            case .link(let path, let other): try volume.link(path, to: other)
            case .remove(let path): try volume.remove(path)
            case .setClass(let path, let protection): try volume.setClass(of: path, protection)
            case .setNote(let path, let note): try volume.setNote(of: path, note)
            case .makeLink(let path, let target): try volume.makeLink(path, to: target)
            case .removeDirectory(let path): try volume.removeDirectory(path)
            case .setPermissions(let path, let permissions): try volume.setPermissions(of: path, permissions)
            case .setTime(let path, let seconds): try volume.setTime(of: path, seconds)
            }
        }
    }

    /// The content at one moment.
    struct State {
        /// The file of each path. Hard links are paths of one file.
        fileprivate var files: [String: Int] = [:]
        fileprivate var contents: [Int: [UInt8]] = [:]
        fileprivate var folders: Set<String> = []
        /// The targets of symbolic links.
        fileprivate var links: [String: [UInt8]] = [:]
        /// The permissions of files that have others than new ones.
        fileprivate var permissions: [Int: UInt32] = [:]
        /// The times of changes that were set and are not followed by another change.
        fileprivate var times: [Int: Int] = [:]

        /// The permissions and the time of a file, if that is known.
        func attributes(of path: String) -> (permissions: UInt32, seconds: Int?)? {
            files[path].map { (permissions[$0] ?? 0o600, times[$0]) }
        }

        /// The content by path; directories have a slash behind theirs. That of a link is its target.
        var paths: [String: [UInt8]] {
            var paths = files.mapValues { contents[$0] ?? [] }.merging(links) { one, _ in one }
            for folder in folders { paths[folder + "/"] = [] }
            return paths
        }

        fileprivate func paths(ofSameFileAs path: String) -> Set<String> {
            Set(files[path].map { file in files.filter { $0.value == file }.map(\.key) } ?? []).union([path])
        }

        fileprivate mutating func apply(_ operation: Operation) {
            switch operation {
            case .store(let bytes, let path):
                let file = files[path] ?? (contents.keys.max() ?? 0) + 1
                files[path] = file
                contents[file] = bytes
                times[file] = nil
            case .cut(let path, let size):
                guard let file = files[path], let bytes = contents[file] else { return }
                contents[file] = Array(bytes.prefix(size)) + [UInt8](repeating: 0, count: max(0, size - bytes.count))
                times[file] = nil
            case .makeDirectory(let path): folders.insert(path)
            case .move(let path, let other): files[other] = files.removeValue(forKey: path)
            case .link(let path, let other): files[other] = files[path]
            case .remove(let path): (files[path], links[path]) = (nil, nil)
            case .makeLink(let path, let target): links[path] = target
            case .removeDirectory(let path): folders.remove(path)
            case .setPermissions(let path, let value): if let file = files[path] { permissions[file] = value }
            case .setTime(let path, let seconds): if let file = files[path] { times[file] = seconds }
            case .setClass, .setNote: break
            }
        }
    }

    let operations: [Operation]
    /// The states after 0, 1, 2… operations.
    let states: [State]

    /// Long names are stored in a second place.
    private static let names = (0..<4).map { "file \($0)" } + [String(repeating: "long ", count: 40) + "name"]

    init(seed: UInt64, count: Int) {
        var random = SplitMix(seed: seed)
        var (operations, state) = ([Operation](), State())
        var states = [state]
        for step in 0..<count {
            let folder = ([""] + state.folders.sorted().map { $0 + "/" }).randomElement(using: &random) ?? ""
            let path = folder + (Self.names.randomElement(using: &random) ?? "file")
            let known = state.files.keys.sorted().randomElement(using: &random)
            let operation: Operation
            let empty = state.folders.sorted().first { folder in
                !state.paths.keys.contains { $0.hasPrefix(folder + "/") && $0 != folder + "/" }
            }
            switch (Int.random(in: 0..<16, using: &random), known) {
            case (0, _) where state.folders.count < 2: operation = .makeDirectory("folder \(step)")
            case (12, let known?):
                operation = .setPermissions(known, [0o400, 0o644, 0o200, 0].randomElement(using: &random) ?? 0)
            case (13, let known?): operation = .setTime(known, 1_000_000_000 + step)
            case (14, _): operation = .makeLink(folder + "link \(step)", Array("target of \(step)".utf8))
            case (15, _) where empty != nil: operation = .removeDirectory(empty ?? "")
            case (15, _) where !state.links.isEmpty: operation = .remove(state.links.keys.sorted()[0])
            // Between two names of one file rename does nothing.
            case (1...2, let known?) where state.files[path] != state.files[known]: operation = .move(known, path)
            case (3, let known?): operation = .remove(known)
            case (4, let known?) where state.files[path] == nil: operation = .link(known, path)
            case (5, let known?): operation = .cut(known, Int.random(in: 0..<6000, using: &random))
            case (6, let known?):
                let classes: [FileProtection] = [.complete, .completeUnlessOpen, .none]
                operation = .setClass(known, classes.randomElement(using: &random) ?? .none)
            case (7, let known?): operation = .setNote(known, Array("note \(step)".utf8))
            default:
                let size = [0, 1, 4096, 9000, 70_000].randomElement(using: &random) ?? 0
                operation = .store((0..<size).map { _ in UInt8.random(in: 0...255, using: &random) }, path)
            }
            state.apply(operation)
            operations.append(operation)
            states.append(state)
        }
        (self.operations, self.states) = (operations, states)
    }

    /// Returns true if an operation, by its number from 0, writes content.
    func storesContent(_ number: Int) -> Bool {
        guard number < operations.count, case .store = operations[number] else { return false }
        return true
    }

    /// The paths that an operation, by its number from 0, may leave in between, with the other names of their files.
    func touched(by number: Int) -> Set<String> {
        guard number < operations.count else { return [] }
        return operations[number].paths.reduce(into: []) { touched, path in
            touched.formUnion(states[number].paths(ofSameFileAs: path))
            touched.formUnion(states[number + 1].paths(ofSameFileAs: path))
        }
    }
}
