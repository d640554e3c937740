package import LatchkeySyncCore
package import LatchkeyThreading

/// The place where the devices of a circle leave objects for each other.
///
/// A store is trusted with nothing. It should return for a name the bytes that were written under it, or nothing, and show after some time
/// what was written. Nothing else is required of it: no order, no transaction over several objects, no comparison, no durability. Every
/// write may be repeated.
///
/// The calls block. They may be made by several threads at once.
package protocol SyncStore: Sendable {
    /// Returns the names of the objects under a prefix that the store shows at present.
    func list(_ prefix: ObjectPrefix) throws(StoreFailure) -> StoreListing

    /// Reads objects, in the order of the names until the answer is full. At least one object is read, whatever its size.
    ///
    /// - Parameter names: at most ``StoreLimits/names``.
    func read(_ names: [StoreObjectName]) throws(StoreFailure) -> StoreReading

    /// Returns the objects that a device looks at with every hint: the names of the statements, and the heads that are not as it knows them.
    func news(knowing known: [StoreObjectName: HeadMark]) throws(StoreFailure) -> StoreNews

    /// Creates objects. One that exists with the same bytes counts as created. In place of something that is not a whole object the object is
    /// written.
    ///
    /// Throws ``StoreFailure/taken(_:)`` at the first object that exists with other bytes; some of the others may have been written.
    func create(_ objects: [StoreObjectName: [UInt8]]) throws(StoreFailure)

    /// Creates objects, and then replaces the head of this device.
    ///
    /// - Parameter replaced: the stored head as it was last read, nil for none. A store that can compare throws
    ///   ``StoreFailure/headReplaced`` if the stored head is neither that nor `head`, and has created nothing if it was so before.
    func publish(
        _ objects: [StoreObjectName: [UInt8]], head: [UInt8], replacing replaced: HeadMark?
    ) throws(StoreFailure) -> HeadMark

    /// Removes objects. Those that do not exist count as removed. They may become visible again.
    func remove(_ names: [StoreObjectName]) throws(StoreFailure)

    /// Waits for a sign that another device changed something. Such signs may be late, early, repeated or lost.
    func waitForHint(until end: Cancellation) throws(StoreFailure) -> StoreHint
}

extension SyncStore {
    package func news(knowing known: [StoreObjectName: HeadMark]) throws(StoreFailure) -> StoreNews {
        try newsInParts(knowing: known)
    }

    /// The same by listing and reading apart.
    package func newsInParts(knowing known: [StoreObjectName: HeadMark]) throws(StoreFailure) -> StoreNews {
        let statements = try list(.statements).names
        let heads = try readAll(try list(.heads).names).objects
        return StoreNews(statements: statements, heads: heads, knowing: known)
    }

    /// Reads as much as several answers hold.
    ///
    /// - Parameter byteLimit: no further answer is asked for when this much was read.
    package func readAll(
        _ names: [StoreObjectName], byteLimit: Int = 64 << 20
    ) throws(StoreFailure) -> StoreReading {
        var whole = StoreReading(rest: names)
        var byteCount = 0
        while !whole.rest.isEmpty, byteCount < byteLimit {
            let asked = whole.rest.prefix(StoreLimits.names)
            let part = try read(Array(asked))
            // A store that reads nothing and leaves everything would be asked for ever.
            guard part.rest.count < asked.count else { break }
            whole.rest.replaceSubrange(..<asked.count, with: part.rest)
            whole.damaged.formUnion(part.damaged)
            for (name, bytes) in part.objects {
                whole.objects[name] = bytes
                byteCount += bytes.count
            }
        }
        return whole
    }
}

/// A store that may have several circles. A device that joins does not know yet which of them it is invited to.
package protocol CircleStores: Sendable {
    /// Returns the circles of which the store has anything, at most ``StoreLimits/circles``, in order.
    func circles() throws(StoreFailure) -> [CircleIdentifier]

    /// - Parameter writer: the device of this process. It writes the head of that device alone.
    func store(of circle: CircleIdentifier, writer: DeviceIdentifier) -> any SyncStore
}
