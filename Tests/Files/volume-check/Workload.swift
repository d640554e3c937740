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

        /// The paths whose files an operation that is cut off may leave in between.
        var paths: [String] {
            switch self {
            case .store(_, let path), .cut(let path, _), .remove(let path), .setClass(let path, _),
                .setNote(let path, _):
                [path]
            case .makeDirectory(let path): [path + "/"]
            case .move(let path, let other), .link(let path, let other): [path, other]
            }
        }

        func perform(on volume: Volume) throws(VolumeFailure) {
            switch self {
            case .store(let bytes, let path): try volume.store(bytes, in: path)
            case .cut(let path, let size): try volume.cut(path, to: UInt64(size))
            case .makeDirectory(let path): try volume.makeDirectory(path)
            case .move(let path, let other): try volume.move(path, to: other)
            case .link(let path, let other): try volume.link(path, to: other)
            case .remove(let path): try volume.remove(path)
            case .setClass(let path, let protection): try volume.setClass(of: path, protection)
            case .setNote(let path, let note): try volume.setNote(of: path, note)
            }
        }
    }

    /// What is there at one moment.
    struct State {
        /// The file of each path. Hard links are paths of one file.
        fileprivate var files: [String: Int] = [:]
        fileprivate var contents: [Int: [UInt8]] = [:]
        fileprivate var folders: Set<String> = []

        /// The content by path; directories have a slash behind theirs.
        var paths: [String: [UInt8]] {
            var paths = files.mapValues { contents[$0] ?? [] }
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
            case .cut(let path, let size):
                guard let file = files[path], let bytes = contents[file] else { return }
                contents[file] = Array(bytes.prefix(size)) + [UInt8](repeating: 0, count: max(0, size - bytes.count))
            case .makeDirectory(let path): folders.insert(path)
            case .move(let path, let other): files[other] = files.removeValue(forKey: path)
            case .link(let path, let other): files[other] = files[path]
            case .remove(let path): files[path] = nil
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
            switch (Int.random(in: 0..<12, using: &random), known) {
            case (0, _) where state.folders.count < 2: operation = .makeDirectory("folder \(step)")
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

    /// The paths that an operation, by its number from 0, may leave in between, with the other names of their files.
    func touched(by number: Int) -> Set<String> {
        guard number < operations.count else { return [] }
        return operations[number].paths.reduce(into: []) { touched, path in
            touched.formUnion(states[number].paths(ofSameFileAs: path))
            touched.formUnion(states[number + 1].paths(ofSameFileAs: path))
        }
    }
}
