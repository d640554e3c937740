internal import LatchkeyEnclaveContract
internal import LatchkeyItemDatabase
internal import LatchkeyItemModel
internal import LatchkeyKeychainService
internal import LatchkeySecretMemory
internal import LatchkeySyncCore

/// The contents of the rows that the replica asks for. Those that it has announced are opened together: as many as fit into one message to the
/// enclave.
struct RowLookup {
    private let shared: SharedItems
    /// The rows that are asked for next.
    private var expected: ArraySlice<ItemName> = []
    /// The contents of rows that were opened before they are asked for.
    private var opened: [ItemName: ItemContent] = [:]

    private static let pageSize = EnclaveLimits.keysPerBatch

    init(_ shared: SharedItems) {
        self.shared = shared
    }

    mutating func expect(_ names: ArraySlice<ItemName>) {
        expected = names
        opened.removeAll()
    }

    /// Returns nil for a row that is not there, or does not open now.
    mutating func content(of name: ItemName) -> ItemContent? {
        if let content = opened.removeValue(forKey: name) { return content }
        guard let start = expected.prefix(Self.pageSize).firstIndex(of: name) else {
            return items([name])[name].flatMap { ItemContent($0) }
        }
        let page = expected[start...].prefix(Self.pageSize)
        expected = expected[page.endIndex...]
        opened = items(page).compactMapValues { ItemContent($0) }
        return opened.removeValue(forKey: name)
    }

    /// Returns the items that open now.
    func items(_ names: some Collection<ItemName>) -> [ItemName: SharedItem] {
        let found = (try? shared.items(named: names.map(\.bytes))) ?? [:]
        return Dictionary(uniqueKeysWithValues: found.compactMap { name, item in ItemName(name).map { ($0, item) } })
    }
}

extension ItemContent {
    /// The content of a row.
    init?(_ shared: SharedItem) {
        guard let digest = ObjectHash(shared.content.digest), let zone = ZoneClass(rawValue: shared.content.zone) else {
            return nil
        }
        let attributes = ItemCoding.attributes(of: shared.item, hasSecret: shared.secret != nil)
        self.init(
            digest: digest, dates: ItemCoding.dates(of: shared.item), zone: zone,
            byteCount: attributes.count + (shared.secret?.count ?? 0))
    }
}
