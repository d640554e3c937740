import LatchkeyFileAccess
import Synchronization

/// The nodes that the kernel knows.
final class NodeTable: Sendable {
    private struct State {
        var byNumber: [UInt64: VolumeNode] = [:]
        /// Without nodes whose last name was removed: the system gives their numbers to new files.
        var byIdentity: [FileIdentity: VolumeNode] = [:]
        var nextNumber = Volume.rootNumber + 1
    }

    private let state = Mutex(State())

    func insertRoot(_ root: VolumeNode) {
        state.withLock { state in
            state.byNumber[root.number] = root
            state.byIdentity[root.identity] = root
        }
    }

    func nextNumber() -> UInt64 {
        state.withLock { state in
            defer { state.nextNumber += 1 }
            return state.nextNumber
        }
    }

    func node(_ number: UInt64) -> VolumeNode? {
        state.withLock { $0.byNumber[number] }
    }

    /// Counts a lookup of the node under this identity, and returns it.
    func lookedUp(_ identity: FileIdentity, at place: VolumeNode.Place) -> VolumeNode? {
        state.withLock { state in
            guard let node = state.byIdentity[identity] else { return nil }
            node.isLookedUp(at: place)
            return node
        }
    }

    /// Counts a lookup of a new node, and returns it; if another thread was first, that one's.
    func lookedUp(_ node: VolumeNode, at place: VolumeNode.Place) -> VolumeNode {
        state.withLock { state in
            let known = state.byIdentity[node.identity] ?? node
            if known === node {
                state.byIdentity[node.identity] = node
                state.byNumber[node.number] = node
            }
            known.isLookedUp(at: place)
            return known
        }
    }

    /// Takes back lookups. Returns the node if the kernel has forgotten it.
    func forget(_ number: UInt64, count: UInt64) -> VolumeNode? {
        state.withLock { state in
            guard let node = state.byNumber[number], number != Volume.rootNumber else { return nil }
            let isForgotten = node.state.withLock { values in
                values.lookups -= min(values.lookups, count)
                return values.lookups == 0
            }
            guard isForgotten else { return nil }
            state.byNumber[number] = nil
            if state.byIdentity[node.identity] === node { state.byIdentity[node.identity] = nil }
            return node
        }
    }

    /// The last name of the node was removed.
    func nameless(_ node: VolumeNode) {
        state.withLock { state in
            if state.byIdentity[node.identity] === node { state.byIdentity[node.identity] = nil }
        }
    }

    func known(_ identity: FileIdentity) -> VolumeNode? {
        state.withLock { $0.byIdentity[identity] }
    }

    var all: [VolumeNode] { state.withLock { Array($0.byNumber.values) } }
}

extension VolumeNode {
    fileprivate func isLookedUp(at place: Place) {
        state.withLock { state in
            state.lookups += 1
            if !state.places.contains(place) { state.places.append(place) }
        }
    }
}
