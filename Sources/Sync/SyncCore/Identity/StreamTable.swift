/// A value for some streams, as a list in their order.
package struct StreamTable<Value> {
    package typealias Entry = (stream: StreamIdentifier, value: Value)
    package private(set) var entries: [Entry] = []

    package init() {}

    package subscript(_ stream: StreamIdentifier) -> Value? {
        get {
            let position = firstPosition(notBefore: stream)
            guard position < entries.count, entries[position].stream == stream else { return nil }
            return entries[position].value
        }
        set {
            let position = firstPosition(notBefore: stream)
            let isThere = position < entries.count && entries[position].stream == stream
            switch (newValue, isThere) {
            case (let value?, true): entries[position].value = value
            case (let value?, false): entries.insert((stream, value), at: position)
            case (nil, true): entries.remove(at: position)
            case (nil, false): break
            }
        }
    }

    package func mapValues<Other>(_ body: (Value) -> Other) -> StreamTable<Other> {
        var table = StreamTable<Other>()
        table.entries = entries.map { ($0.stream, body($0.value)) }
        return table
    }

    private func firstPosition(notBefore stream: StreamIdentifier) -> Int {
        entries.firstPosition { $0.stream < stream }
    }
}

extension StreamTable: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral elements: (StreamIdentifier, Value)...) {
        for (stream, value) in elements { self[stream] = value }
    }
}

extension StreamTable: Equatable where Value: Equatable {
    package static func == (left: Self, right: Self) -> Bool {
        left.entries.count == right.entries.count && zip(left.entries, right.entries).allSatisfy { $0 == $1 }
    }
}

extension StreamTable: Hashable where Value: Hashable {
    package func hash(into hasher: inout Hasher) {
        hasher.combine(entries.count)
        for entry in entries {
            hasher.combine(entry.stream)
            hasher.combine(entry.value)
        }
    }
}

extension StreamTable: Sendable where Value: Sendable {}
