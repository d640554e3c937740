/// The objects that a device looks at with every hint. A head in none of the last three parts is not in the store.
package struct StoreNews: Hashable, Sendable {
    package var statements: [StoreObjectName]
    /// The heads that are as the device knows them.
    package var unchanged: Set<StoreObjectName>
    package var changed: [StoreObjectName: [UInt8]]
    /// Other heads that the answer had no room for: they are read apart.
    package var rest: [StoreObjectName]

    package init(
        statements: [StoreObjectName] = [], unchanged: Set<StoreObjectName> = [],
        changed: [StoreObjectName: [UInt8]] = [:], rest: [StoreObjectName] = []
    ) {
        self.statements = statements
        self.unchanged = unchanged
        self.changed = changed
        self.rest = rest
    }

    /// - Parameter heads: all that are in the store.
    package init(
        statements: [StoreObjectName], heads: [StoreObjectName: [UInt8]], knowing known: [StoreObjectName: HeadMark]
    ) {
        self.init(statements: statements)
        var byteCount = 0
        for (name, bytes) in heads.sorted(by: { $0.key < $1.key }) {
            if let mark = known[name], mark == HeadMark(of: bytes) {
                unchanged.insert(name)
            } else if byteCount + bytes.count <= StoreLimits.newsByteCount {
                byteCount += bytes.count
                changed[name] = bytes
            } else {
                rest.append(name)
            }
        }
    }
}
