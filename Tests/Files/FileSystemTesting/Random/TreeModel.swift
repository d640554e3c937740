/// A model of a tree of files in memory, which also knows the answer of each call.
final class TreeNode {
    enum Content {
        case file([UInt8])
        case directory([Path: TreeNode])
        case link(Path)
    }

    var content: Content
    /// The names of a file or link.
    var links = 1
    /// The mode and the time that were set and that nothing has changed since.
    var mode: UInt32?
    var modified: Int64?

    init(_ content: Content) {
        self.content = content
    }

    var isDirectory: Bool { if case .directory = content { true } else { false } }

    var children: [Path: TreeNode] {
        get { if case .directory(let children) = content { children } else { [:] } }
        set {
            content = .directory(newValue)
            modified = nil
        }
    }

    /// True of the node itself too.
    func contains(_ other: TreeNode) -> Bool {
        self === other || children.values.contains { $0.isDirectory && $0.contains(other) }
    }
}

/// A name in a directory of the model.
struct TreePlace {
    let path: Path
    let parent: TreeNode
    let name: Path

    var node: TreeNode? { parent.children[name] }
}
