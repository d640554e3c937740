internal import LatchkeySyncCore
package import LatchkeySyncStore
internal import Synchronization

/// The stores that a transport serves: one for each device that asks about a circle. A store remembers what it has shown, so it lives on
/// between two questions.
package final class TransportStores: Sendable {
    private struct State {
        var stores: [CircleSeat: any SyncStore] = [:]
        /// The last used one is the last.
        var order: [CircleSeat] = []
    }

    /// Names what is served, as on the command line of the transport: "folder:/srv/sync".
    let text: String
    private let root: any CircleStores
    private let state = Mutex(State())

    /// One device asks, about one circle, or about several while it joins.
    private static let limit = 16

    /// - Parameter text: names the stores; at most ``StoreText/byteLimit`` bytes.
    package init(_ root: any CircleStores, text: String) {
        precondition(text.utf8.count <= StoreText.byteLimit, "the text of a store is too long for its message")
        self.text = text
        self.root = root
    }

    func circles() throws(StoreFailure) -> [CircleIdentifier] { try root.circles() }

    func store(_ seat: CircleSeat) -> any SyncStore {
        state.withLock { state in
            state.order.removeAll { $0 == seat }
            state.order.append(seat)
            if let known = state.stores[seat] { return known }
            let store = root.store(of: seat.circle, writer: seat.device)
            state.stores[seat] = store
            if state.order.count > Self.limit { state.stores[state.order.removeFirst()] = nil }
            return store
        }
    }
}
