internal import LatchkeyEtcdMessages
internal import LatchkeySyncCore
internal import LatchkeySyncStore

/// The keys of the objects of a circle: `/latchkey/CIRCLE/` and the name of the object.
struct EtcdLayout: Sendable {
    /// The keys of all circles.
    static let top = Array("/latchkey/".utf8)

    private let root: String

    init(_ circle: CircleIdentifier) {
        root = "/latchkey/\(circle)/"
    }

    func key(of name: StoreObjectName) -> [UInt8] { Array((root + name.description).utf8) }

    func range(of prefix: ObjectPrefix) -> EtcdKeyRange { EtcdKeyRange(prefix: Array((root + prefix.text).utf8)) }

    /// The keys whose changes are news: those of heads, and those from exchanges to statements, between which there are no others. Two
    /// ranges, because the gateway may lose a watch of three (``EtcdRequest/watchByteLimit``).
    var newsRanges: [EtcdKeyRange] {
        [
            range(of: .heads),
            EtcdKeyRange(from: range(of: .exchanges).key, upTo: range(of: .statements).end ?? []),
        ]
    }

    /// Returns nil for any other key. Copies of heads do not count as objects here, because no program sets them aside.
    func name(of key: [UInt8], under prefix: ObjectPrefix) -> StoreObjectName? {
        guard key.starts(with: root.utf8), let text = String(validating: key.dropFirst(root.utf8.count), as: UTF8.self),
            let name = StoreObjectName(text), name.prefix == prefix
        else { return nil }
        if case .headCopy = name { return nil }
        return name
    }
}
