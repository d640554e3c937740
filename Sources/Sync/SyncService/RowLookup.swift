internal import LatchkeyEnclaveContract
internal import LatchkeyItemDatabase
internal import LatchkeyItemModel
internal import LatchkeyKeychainService
internal import LatchkeySecretMemory
internal import LatchkeySyncCore

/// A row that was opened: what the replica knows of it, and what goes into an object.
struct OpenedRow {
    let content: ItemContent
    let attributes: [UInt8]
    let secret: SecretBox?

    init?(_ shared: SharedItem) {
        guard let digest = ObjectHash(shared.content.digest), let zone = ZoneClass(rawValue: shared.content.zone) else {
            return nil
        }
        attributes = ItemCoding.attributes(of: shared.item, hasSecret: shared.secret != nil)
        secret = shared.secret
        content = ItemContent(
            digest: digest, dates: ItemCoding.dates(of: shared.item), zone: zone,
            byteCount: attributes.count + (shared.secret?.count ?? 0))
    }
}

/// The rows that the replica asks for. Those that it has announced are opened together: as many as fit into one message to the enclave. They are
/// kept until the event is over, because what was asked for goes into an object next.
struct RowLookup {
    private let shared: SharedItems
    /// The rows that are asked for next.
    private var expected: ArraySlice<ItemName> = []
    private var contents: [ItemName: ItemContent] = [:]
    /// The rows whose bytes go into an object, as many as the limit allows.
    private var opened: [ItemName: OpenedRow] = [:]
    private var openedByteCount = 0

    private static let pageSize = EnclaveLimits.keysPerBatch
    /// Of attributes and secrets. More than any object has, so what it needs is mostly there.
    private static let byteLimit = 1 << 20

    init(_ shared: SharedItems) {
        self.shared = shared
    }

    mutating func expect(_ names: ArraySlice<ItemName>) { expected = names }

    /// Forgets what was opened.
    mutating func forget() {
        contents.removeAll()
        forgetRows()
    }

    private mutating func forgetRows() {
        opened.removeAll()
        openedByteCount = 0
    }

    /// Returns nil for a row that is not there, or has not been opened in this event and does not open now.
    mutating func content(of name: ItemName) -> ItemContent? {
        if let content = contents[name] { return content }
        if let start = expected.prefix(Self.pageSize).firstIndex(of: name) {
            let page = expected[start...].prefix(Self.pageSize)
            expected = expected[page.endIndex...]
            keep(open(page.filter { contents[$0] == nil }))
        } else {
            keep(open([name]))
        }
        return contents[name]
    }

    /// Returns the rows that open now, or were opened for this event. A row that was opened anew has another content from here on, or none.
    mutating func rows(_ names: [ItemName]) -> [ItemName: OpenedRow] {
        let missing = names.filter { opened[$0] == nil }
        let others = open(missing)
        for name in missing { contents[name] = others[name]?.content }
        return Dictionary(names.compactMap { name in (opened[name] ?? others[name]).map { (name, $0) } }) { $1 }
    }

    private mutating func keep(_ rows: [ItemName: OpenedRow]) {
        contents.merge(rows.mapValues(\.content)) { $1 }
        let byteCount = rows.values.reduce(0) { $0 + $1.content.byteCount }
        if openedByteCount + byteCount > Self.byteLimit { forgetRows() }
        guard byteCount <= Self.byteLimit else { return }
        opened.merge(rows) { $1 }
        openedByteCount += byteCount
    }

    private func open(_ names: some Collection<ItemName>) -> [ItemName: OpenedRow] {
        guard !names.isEmpty, let found = try? shared.items(named: names.map(\.bytes)) else { return [:] }
        let rows = found.compactMap { name, item in
            ItemName(name).flatMap { name in OpenedRow(item).map { (name, $0) } }
        }
        return Dictionary(uniqueKeysWithValues: rows)
    }
}
