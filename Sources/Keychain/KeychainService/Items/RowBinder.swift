import LatchkeyEnclaveContract
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeybag
import LatchkeySecretMemory
import LatchkeyThreading

/// The upgrade of rows of older formats, as far as it needs keys (`Docs/Formats/item-database.md`): attributes of format 4
/// and older are sealed again, bound to their item keys, and those of format 8 and older lose the digests of items with
/// conditions (``DigestRemoval``).
///
/// This needs the metadata key of a row's class, so rows of a locked class wait until it is available. Each page is one
/// transaction: after a crash every row has either the old or the new form.
final class RowBinder: @unchecked Sendable {
    // Sendable because the mutable state is only accessed under the condition's lock.
    private static let pageSize = 64

    private let store: ItemStore
    private let keys: ProtectionKeys
    private let sealing: RowSealing
    private let condition = WaitCondition()
    /// Protection classes that may have rows to upgrade. A file that this version created never has any.
    private var left: Set<UInt8>
    private var isUnderWay = false
    private var isClosed = false

    init(store: ItemStore, keys: ProtectionKeys, sealing: RowSealing) {
        self.store = store
        self.keys = keys
        self.sealing = sealing
        left = Self.classesLeft(in: store) ?? []
    }

    private static func classesLeft(in store: ItemStore) -> Set<UInt8>? {
        try? store.read { reader in
            try reader.keyClassesOfUnboundRows().union(reader.formerDigests().map(\.keyClass))
        }
    }

    /// Starts the upgrade of the rows of available classes, in parallel with the calls of programs.
    func start() {
        let begins = condition.withLock {
            guard !left.isEmpty, !isUnderWay, !isClosed else { return false }
            isUnderWay = true
            return true
        }
        guard begins else { return }
        // If no thread can be started, the rows wait for the next time.
        let isStarted = DetachedThread.start { [self] in
            _ = bindAll()
            finish()
        }
        if !isStarted { finish() }
    }

    /// Upgrades the rows of available classes, after a run that is in progress.
    /// - Returns: the number of rows that were bound.
    @discardableResult
    func bindRows() -> Int {
        let begins = condition.withLock {
            while isUnderWay { condition.wait() }
            guard !left.isEmpty, !isClosed else { return false }
            isUnderWay = true
            return true
        }
        guard begins else { return 0 }
        let count = bindAll()
        finish()
        return count
    }

    /// Stops the upgrade, and returns when nothing is written any more.
    func close() {
        condition.withLock {
            isClosed = true
            while isUnderWay { condition.wait() }
        }
    }

    private func finish() {
        let now = Self.classesLeft(in: store)
        condition.withLock {
            if let now { left = now }
            isUnderWay = false
            condition.wakeAll()
        }
    }

    private func bindAll() -> Int {
        var count = 0
        for number in condition.withLock({ left }) {
            guard let keyClass = KeyClass(rawValue: number) else { continue }
            for schema in ItemSchema.all { count += bindRows(of: schema.itemClass, keyClass) }
        }
        DigestRemoval(store: store, sealing: sealing).run { condition.withLock { isClosed } }
        return count
    }

    /// Binds rows until the class is locked or an error occurs; the next run continues there.
    private func bindRows(of itemClass: ItemClass, _ keyClass: KeyClass) -> Int {
        var last: Int64 = 0
        var count = 0
        while !condition.withLock({ isClosed }) {
            let page = try? store.write { [self, last] writer -> (last: Int64, seen: Int, bound: Int) in
                // Requested for every page, so that a lock takes effect at the next one.
                let key = try keys.metadataKey(toRead: keyClass)
                let rows = try writer.reader.unboundRows(
                    of: itemClass, keyClass: keyClass.rawValue, after: last, limit: Self.pageSize)
                var bound = 0
                for row in rows {
                    // A row that cannot be opened stays: the next search that meets it moves it into quarantine.
                    guard let new = try? sealing.bound(row, metadataKey: key) else { continue }
                    try writer.bind(new)
                    bound += 1
                }
                return (rows.last?.rowID ?? last, rows.count, bound)
            }
            guard let page else { return count }
            count += page.bound
            guard page.seen == Self.pageSize else { return count }
            last = page.last
        }
        return count
    }
}
