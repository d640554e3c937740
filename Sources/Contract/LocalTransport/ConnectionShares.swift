package import LatchkeyPeerIdentity

/// The shares of a server's connections: no program can take all of them.
package struct ConnectionShares: Sendable {
    /// The total number of connections.
    let limit: Int
    /// The maximum for one program of one user.
    let perProgram: Int
    /// Connections of `limit` that are reserved for peers that `isPreferred` names.
    let reserved: Int
    let isPreferred: @Sendable (PeerIdentity) -> Bool

    /// - Parameter isPreferred: decides when a peer connects, before its signature is known.
    package init(
        limit: Int, perProgram: Int, reserved: Int, isPreferred: @escaping @Sendable (PeerIdentity) -> Bool
    ) {
        self.limit = limit
        self.perProgram = perProgram
        self.reserved = reserved
        self.isPreferred = isPreferred
    }

    /// No shares: for a server with one client.
    package static func undivided(limit: Int) -> ConnectionShares {
        ConnectionShares(limit: limit, perProgram: limit, reserved: 0, isPreferred: { _ in false })
    }

    /// The shares of a server for the programs of a user.
    package static func divided(isPreferred: @escaping @Sendable (PeerIdentity) -> Bool) -> ConnectionShares {
        ConnectionShares(
            limit: TransportLimits.connections, perProgram: TransportLimits.connectionsPerProgram,
            reserved: TransportLimits.reservedConnections, isPreferred: isPreferred)
    }

    /// Returns true if one more connection of the peer fits beside `open` others, of which `own` are of the same
    /// program.
    func admit(_ peer: PeerIdentity, open: Int, own: Int) -> Bool {
        own < perProgram && open < (isPreferred(peer) ? limit : limit - reserved)
    }

    /// The program to which a peer's connections are counted: its file, under one user.
    struct Program: Hashable {
        private let userID: UInt32
        private let device: UInt64
        private let inode: UInt64

        init(_ peer: PeerIdentity) {
            userID = peer.userID
            device = peer.executable.device
            inode = peer.executable.inode
        }
    }
}
