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
}
