package import LatchkeySyncCore
package import LatchkeySyncStore
package import LatchkeyThreading

/// The store behind the transport process, for the daemon.
package struct TransportStore: SyncStore {
    private let seat: CircleSeat
    private let connection: TransportConnection

    init(_ seat: CircleSeat, _ connection: TransportConnection) {
        self.seat = seat
        self.connection = connection
    }

    package func list(_ prefix: ObjectPrefix) throws(StoreFailure) -> StoreListing {
        let listing = try connection.ask(ListObjects(seat, prefix))
        guard listing.names.allSatisfy({ $0.prefix == prefix }) else { throw TransportConnection.badAnswer }
        return listing
    }

    package func read(_ names: [StoreObjectName]) throws(StoreFailure) -> StoreReading {
        let reading = try connection.ask(ReadObjects(seat, names))
        let asked = Set(names)
        let isAnswer =
            asked.isSuperset(of: reading.objects.keys) && asked.isSuperset(of: reading.damaged)
            && asked.isSuperset(of: reading.rest)
            && reading.objects.allSatisfy { $0.value.count <= $0.key.byteLimit }
        guard isAnswer else { throw TransportConnection.badAnswer }
        return reading
    }

    package func news(knowing known: [StoreObjectName: HeadMark]) throws(StoreFailure) -> StoreNews {
        // Heads that are too many for a question are all read again.
        let part = known.count <= StoreLimits.names ? known : [:]
        let news = try connection.ask(ReadNews(seat, knowing: part))
        let heads = news.rest + news.changed.keys
        let isAnswer =
            news.statements.allSatisfy { $0.prefix == .statements } && heads.allSatisfy { $0.prefix == .heads }
            && news.unchanged.isSubset(of: part.keys) && news.unchanged.isDisjoint(with: heads)
            && news.changed.allSatisfy { $0.value.count <= $0.key.byteLimit }
        guard isAnswer else { throw TransportConnection.badAnswer }
        return news
    }

    package func create(_ objects: [StoreObjectName: [UInt8]]) throws(StoreFailure) {
        for batch in try batches(of: objects) { _ = try connection.ask(CreateObjects(seat, batch)) }
    }

    package func publish(
        _ objects: [StoreObjectName: [UInt8]], head: [UInt8], replacing replaced: HeadMark?
    ) throws(StoreFailure) -> HeadMark {
        guard head.count <= StoreObjectName.head(seat.device).byteLimit else {
            throw .unsuitable(.head(seat.device))
        }
        var batches = try batches(of: objects)
        let last = batches.popLast() ?? [:]
        if !batches.isEmpty {
            // The store compares with the last message only.
            let name = StoreObjectName.head(seat.device)
            let replacement = HeadReplacement(of: head, named: name, expecting: replaced)
            _ = try replacement.isNeeded(over: read([name]).objects[name])
        }
        for batch in batches { _ = try connection.ask(CreateObjects(seat, batch)) }
        return try connection.ask(PublishHead(seat, last, head: head, replacing: replaced))
    }

    package func remove(_ names: [StoreObjectName]) throws(StoreFailure) {
        for start in stride(from: 0, to: names.count, by: StoreLimits.names) {
            let part = names[start..<min(start + StoreLimits.names, names.count)]
            _ = try connection.ask(RemoveObjects(seat, Array(part)))
        }
    }

    package func waitForHint(until end: Cancellation) throws(StoreFailure) -> StoreHint {
        while true {
            let seconds = end.isOver ? 0 : end.secondsLeft ?? Double(AwaitHint.secondsLimit)
            let question = AwaitHint(seat, seconds: Int(min(seconds, Double(AwaitHint.secondsLimit)).rounded(.up)))
            guard let hint = try connection.ask(question, until: end) else { return .none }
            if hint == .changed || end.isOver { return hint }
        }
    }

    /// Objects in the order of their names, in messages that are not too large.
    private func batches(
        of objects: [StoreObjectName: [UInt8]]
    ) throws(StoreFailure) -> [[StoreObjectName: [UInt8]]] {
        var batches: [[StoreObjectName: [UInt8]]] = []
        var byteCount = 0
        for (name, bytes) in objects.sorted(by: { $0.key < $1.key }) {
            guard bytes.count <= name.byteLimit else { throw .unsuitable(name) }
            let isFull = byteCount + bytes.count > StoreLimits.messageByteCount
            if batches.isEmpty || isFull || batches[batches.count - 1].count == StoreLimits.names {
                batches.append([:])
                byteCount = 0
            }
            batches[batches.count - 1][name] = bytes
            byteCount += bytes.count
        }
        return batches
    }
}

/// The circles behind the transport process, for the daemon.
package struct TransportCircles: CircleStores {
    private let connection: TransportConnection

    package init(_ link: any TransportLink) {
        connection = TransportConnection(link)
    }

    package func circles() throws(StoreFailure) -> [CircleIdentifier] {
        try connection.ask(ListCircles()).circles
    }

    /// Returns the text that names the store of the transport, for instance "folder:/srv/sync".
    package func storeText() throws(StoreFailure) -> String {
        try connection.ask(DescribeStore()).text
    }

    package func store(of circle: CircleIdentifier, writer: DeviceIdentifier) -> any SyncStore {
        TransportStore(CircleSeat(circle: circle, device: writer), connection)
    }
}
