internal import Glibc
internal import LatchkeyEtcdMessages
package import LatchkeyPlainText
package import LatchkeySyncCore
package import LatchkeySyncStore

/// The circles in an etcd cluster.
package struct EtcdCircles: CircleStores {
    private let client: EtcdClient
    /// Keys of other programs are stepped over, this many at most.
    private static let stepLimit = 4 * StoreLimits.circles

    /// The reason why this machine cannot reach a cluster: libcurl cannot be loaded. Nil if it can. The first use loads the library.
    package static var clientFailure: String? { CurlHandle.loadingFailure }

    /// - Parameter report: gets a line for each new failure of a server: for a log.
    package init(
        at address: EtcdAddress, access: EtcdAccess = EtcdAccess(), options: EtcdOptions = EtcdOptions(),
        report: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        client = EtcdClient(address.servers, access, options, report: report)
    }

    package func circles() throws(StoreFailure) -> [CircleIdentifier] {
        var circles: [CircleIdentifier] = []
        var range = EtcdKeyRange(prefix: EtcdLayout.top)
        for _ in 0..<Self.stepLimit {
            let query = EtcdQuery(range, limit: 1, isOfKeysOnly: true, mayBeOld: true)
            guard let answer = try client.readFresh([query]) else { throw .refused(.obstructed) }
            guard let key = answer.readings[0].entries.first?.key, let end = range.end else { break }
            guard key.starts(with: EtcdLayout.top), !key.lexicographicallyPrecedes(range.key) else {
                throw .system(EPROTO)
            }
            let name = key.dropFirst(EtcdLayout.top.count).prefix { $0 != UInt8(ascii: "/") }
            if key.count > EtcdLayout.top.count + name.count,
                let circle = CircleIdentifier(hexadecimal: String(decoding: name, as: UTF8.self))
            {
                circles.append(circle)
                guard circles.count < StoreLimits.circles else { break }
                // The next key that does not begin with the one of the circle and a slash.
                range = EtcdKeyRange(from: EtcdLayout.top + name + [UInt8(ascii: "/") + 1], upTo: end)
            } else {
                range = EtcdKeyRange(from: key + [0], upTo: end)
            }
        }
        return circles.sorted()
    }

    package func store(of circle: CircleIdentifier, writer: DeviceIdentifier) -> any SyncStore {
        EtcdStore(client, circle: circle, writer: writer)
    }
}
