import Glibc
import LatchkeyKeychainMessages

/// Two devices, the first of which has founded a circle. The second one is in no circle before ``join()``.
final class SyncedPair {
    let first: SyncedDevice
    let second: SyncedDevice
    private let secondStore: StoreAddress
    /// Above those of all other rows.
    private var nextItem = 2_000_000_000

    /// - Parameters:
    ///   - secondStore: the store as the second device names it; nil for the same text.
    ///   - items: the number of items that the first device has when the circle is founded.
    init(_ session: Session, store: StoreAddress, secondStore: StoreAddress? = nil, items: Int = 0) throws {
        first = try SyncedDevice("first", session)
        second = try SyncedDevice("second", session)
        self.secondStore = secondStore ?? store
        do {
            if items > 0 { _ = try first.client.seconds("add-shared \(items) 16") }
            try first.found(in: store)
            try first.awaitItems(Int64(items))
        } catch {
            stop()
            throw error
        }
    }

    func stop() {
        for device in [first, second] { device.stop() }
    }

    /// Takes the second device into the circle, and returns when it has all items.
    func join() throws { try second.join(first, in: secondStore) }

    /// Returns the mean time from the return of `SecItemAdd` on the first device until the item is found on the second one.
    func itemMilliseconds(_ count: Int) throws -> Double {
        var sum = 0.0
        for _ in 0..<count {
            nextItem += 1
            // One item at a time: many that follow each other are put together.
            usleep(250_000)
            try second.client.begin("await-shared \(nextItem)")
            let added = try first.client.seconds("add-shared-item \(nextItem)")
            sum += try second.client.finish("await-shared") - added
        }
        return sum / Double(count) * 1000
    }
}
