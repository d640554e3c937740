import CLatchkeyShims
import Dispatch
import Foundation
import Glibc
import LatchkeyLocalTransport
import LatchkeySecretMemory
import LocalAuthentication
import Security
import Synchronization

/// A program that uses the keychain through the public API, in a process of its own.
///
/// Commands: `find COUNT ITEMS` finds random passwords, `find-all ITEMS [data]` all items at once, `add COUNT
/// THREADS` adds new ones, `fill COUNT` adds the first passwords of a population, `echo SOCKET COUNT BYTES` exchanges
/// packets with the raw echo, `connect SOCKET COUNT` makes connections to a daemon and `visit SOCKET COUNT` to the
/// raw echo. `add-shared COUNT THREADS` adds items that are shared in a circle; `add-shared-item NUMBER` and
/// `await-shared NUMBER` answer with the moments at which one was added and was found. `guard COUNT` adds items that
/// need a person, `authenticate` asks that person once, `find-guarded COUNT ITEMS` finds such items with that proof,
/// `touch ITEMS` finds one with a finger and answers with the moment at which it had the item. `run COUNT STATUS
/// INPUT PROGRAM…` starts a program as often, one after the other, and expects that it ends so. ``KeyClient`` has
/// those about keys, ``FileClient`` those about files, ``DatabaseClient`` those about databases.
final class Client {
    private var random = SystemRandomNumberGenerator()
    /// Above every number that a population uses, and different in every process.
    private var nextItem = 1_000_000_000 + Int(getpid()) * 1_000_000
    private let context = LAContext()
    private let keys = KeyClient()
    private let files = FileClient()
    private let databases = DatabaseClient()
    /// The nanoseconds of the shortest wait for a shared item.
    private var shortestWait: UInt64?
    private var echo: (path: String, socket: Int32)?

    func serve() throws {
        Worker.serve { words in
            let numbers = words.compactMap { Int($0) }
            switch (words.first, words.count, numbers.count) {
            case ("find", 3, 2): return try find(numbers[0], of: numbers[1])
            case ("find-all", 2, 1): return try findAll(numbers[0], withData: false)
            case ("find-all", 3, 1): return try findAll(numbers[0], withData: true)
            case ("add", 3, 2): return try add(numbers[0], threads: numbers[1])
            case ("add-shared", 3, 2): return try add(numbers[0], threads: numbers[1], SampleItems.sharedItem)
            case ("add-shared-item", 2, 1): return try addShared(numbers[0])
            case ("await-shared", 2, 1): return try awaitShared(numbers[0])
            case ("guard", 2, 1): return try addGuarded(numbers[0])
            case ("authenticate", 1, 0): return try authenticate()
            case ("find-guarded", 3, 2): return try findGuarded(numbers[0], of: numbers[1])
            case ("touch", 2, 1): return try touch(numbers[0])
            case ("fill", 2, 1): return try fill(numbers[0])
            case ("connect", 3, 1): return try connect(String(words[1]), numbers[0])
            case ("visit", 3, 1): return try visit(String(words[1]), numbers[0])
            case ("make-key", 1, 0): return try keys.makeKey()
            case ("sign", 2, 1): return try keys.sign(numbers[0])
            case ("agent-sign", 3, 1): return try keys.signWithAgent(String(words[1]), numbers[0])
            case ("verify", 2, 1): return try keys.verify(numbers[0])
            case ("verify-bare", 2, 1): return try keys.verifyBare(numbers[0])
            case ("find-identity", 3, 2): return try keys.findIdentity(numbers[0], of: numbers[1])
            case ("echo-sign", 4, 2):
                return try exchange(String(words[1]), numbers[0], byteCount: numbers[1], then: keys.signHere)
            case ("echo", 4, 2): return try exchange(String(words[1]), numbers[0], byteCount: numbers[1])
            case ("file-write", 3, 1): return try files.write(String(words[1]), mebibytes: numbers[0])
            case ("file-read", 3, 1): return try files.read(String(words[1]), mebibytes: numbers[0])
            case ("bare-file-write", 3, 1):
                return try files.bare(String(words[1]), mebibytes: numbers[0], sealing: true)
            case ("bare-file-read", 3, 1):
                return try files.bare(String(words[1]), mebibytes: numbers[0], sealing: false)
            case ("database", 4, 0):
                guard let library = DatabaseClient.Library(rawValue: String(words[1])) else {
                    throw Failure("unknown library")
                }
                return try databases.run(library, String(words[2]), mode: String(words[3]))
            case ("run", 5..., 2...):
                return try ProgramRuns.time(
                    numbers[0], endingWith: numbers[1], input: String(words[3]), words.dropFirst(4).map(String.init))
            default: throw Failure("unknown command")
            }
        }
    }

    /// The time is that of the calls. Queries are built before and results looked at after it.
    private func find(_ count: Int, of itemCount: Int) throws -> UInt64 {
        try find(count, of: itemCount) { SampleItems.query($0) }
    }

    private func findGuarded(_ count: Int, of itemCount: Int) throws -> UInt64 {
        try find(count, of: itemCount) { SampleItems.guardedQuery($0, context) }
    }

    private func find(_ count: Int, of itemCount: Int, _ query: (Int) -> CFDictionary) throws -> UInt64 {
        let wanted = (0..<count).map { _ in Int.random(in: 0..<itemCount, using: &random) }
        let queries = wanted.map(query)
        var results = [CFTypeRef?](repeating: nil, count: count)
        var statuses = [OSStatus](repeating: errSecSuccess, count: count)
        let time = nanoseconds {
            for place in queries.indices { statuses[place] = SecItemCopyMatching(queries[place], &results[place]) }
        }
        for (place, index) in wanted.enumerated() {
            let isRight = results[place] as? Data == Data(SampleItems.password(index).utf8)
            guard statuses[place] == errSecSuccess, isRight else {
                throw Failure("finding item \(index) gave \(statuses[place])")
            }
        }
        return time
    }

    /// One find of all items: their attributes, and their data if asked for.
    private func findAll(_ itemCount: Int, withData: Bool) throws -> UInt64 {
        let query = SampleItems.queryOfAll(withData: withData)
        var result: CFTypeRef?
        var status = errSecSuccess
        let time = nanoseconds { status = SecItemCopyMatching(query, &result) }
        guard status == errSecSuccess, let items = result as? [[String: Any]], items.count == itemCount else {
            throw Failure("finding all \(itemCount) items gave \(status)")
        }
        for item in items {
            guard let account = item[kSecAttrAccount as String] as? String,
                let index = Int(account.drop { !$0.isNumber }.prefix { $0.isNumber }),
                account == SampleItems.account(index),
                !withData || item[kSecValueData as String] as? Data == Data(SampleItems.password(index).utf8)
            else { throw Failure("finding all items gave one that was not added") }
        }
        return time
    }

    /// The time is that of the calls, as for ``find(_:of:)``.
    private func add(
        _ count: Int, threads: Int, _ item: (Int) -> CFDictionary = SampleItems.item
    ) throws -> UInt64 {
        let first = nextItem
        nextItem += count
        let items = Items(dictionaries: (first..<first + count).map(item))
        let failures = Mutex<[OSStatus]>([])
        let time = nanoseconds {
            Threads.run(threads) { thread in
                for place in stride(from: thread, to: count, by: threads) {
                    let status = SecItemAdd(items.dictionaries[place], nil)
                    if status != errSecSuccess { failures.withLock { $0.append(status) } }
                }
            }
        }
        let failed = failures.withLock { $0 }
        guard failed.isEmpty else { throw Failure("\(failed.count) adds failed, the first with \(failed[0])") }
        return time
    }

    /// Adds one shared item, and returns the moment at which it was added.
    private func addShared(_ index: Int) throws -> UInt64 {
        let item = SampleItems.sharedItem(index)
        let status = SecItemAdd(item, nil)
        let end = nanoseconds()
        guard status == errSecSuccess else { throw Failure("adding shared item \(index) gave \(status)") }
        return end
    }

    /// Waits for an item of another device, and returns the moment at which it was found. Asks every tenth of a millisecond, and not before nine
    /// tenths of the shortest time that an item took: each question takes the processor from what brings the item.
    private func awaitShared(_ index: Int) throws -> UInt64 {
        let query = SampleItems.sharedQuery(index)
        let start = nanoseconds()
        if let shortestWait { usleep(UInt32(shortestWait / 10_000 * 9)) }
        for _ in 0..<100_000 {
            var result: CFTypeRef?
            let status = SecItemCopyMatching(query, &result)
            let end = nanoseconds()
            if status == errSecSuccess {
                shortestWait = min(shortestWait ?? .max, end - start)
                return end
            }
            guard status == errSecItemNotFound else { throw Failure("finding shared item \(index) gave \(status)") }
            usleep(100)
        }
        throw Failure("shared item \(index) did not come")
    }

    private func addGuarded(_ count: Int) throws -> UInt64 {
        try nanoseconds {
            for index in 0..<count {
                let status = SecItemAdd(try SampleItems.guardedItem(index), nil)
                guard status == errSecSuccess else { throw Failure("adding guarded item \(index) gave \(status)") }
            }
        }
    }

    private func authenticate() throws -> UInt64 {
        let done = DispatchSemaphore(value: 0)
        let failure = Mutex<String?>("no answer")
        let start = nanoseconds()
        context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "measure") { isRight, error in
            failure.withLock { $0 = isRight ? nil : "\(String(describing: error))" }
            done.signal()
        }
        done.wait()
        if let failure = failure.withLock({ $0 }) { throw Failure("authentication: \(failure)") }
        return nanoseconds() - start
    }

    private func touch(_ itemCount: Int) throws -> UInt64 {
        let index = Int.random(in: 0..<itemCount, using: &random)
        let query = SampleItems.guardedQuery(index, nil)
        var result: CFTypeRef?
        let status = SecItemCopyMatching(query, &result)
        let end = nanoseconds()
        guard status == errSecSuccess, result as? Data == Data(SampleItems.password(index).utf8) else {
            throw Failure("finding guarded item \(index) gave \(status)")
        }
        return end
    }

    private func fill(_ count: Int) throws -> UInt64 {
        try nanoseconds {
            for index in 0..<count {
                let status = SecItemAdd(SampleItems.item(index), nil)
                guard status == errSecSuccess else { throw Failure("adding item \(index) gave \(status)") }
            }
        }
    }

    private struct Items: @unchecked Sendable {
        // Sendable because the dictionaries do not change while threads read them.
        let dictionaries: [CFDictionary]
    }

    /// Each connection is greeted and looked at by the daemon, and has one message answered: an empty one, which the
    /// daemon refuses.
    private func connect(_ path: String, _ count: Int) throws -> UInt64 {
        try nanoseconds {
            for _ in 0..<count {
                _ = try ClientConnection(connectingTo: path, waitsForWelcome: false).call(WireMessage(body: []))
            }
        }
    }

    /// Each connection exchanges one packet.
    private func visit(_ path: String, _ count: Int) throws -> UInt64 {
        var byte: UInt8 = 1
        return try nanoseconds {
            for _ in 0..<count {
                let socket = lk_socket_connect(path)
                guard socket >= 0, send(socket, &byte, 1, 0) == 1, recv(socket, &byte, 1, 0) == 1 else {
                    throw Failure("cannot visit \(path)")
                }
                close(socket)
            }
        }
    }

    private func exchange(
        _ path: String, _ count: Int, byteCount: Int, then work: () throws -> Void = {}
    ) throws -> UInt64 {
        let socket = try echoSocket(path)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
        defer { buffer.deallocate() }
        buffer.initializeMemory(as: UInt8.self, repeating: 9)
        return try nanoseconds {
            for _ in 0..<count {
                guard EchoServer.exchange(socket, buffer, sending: byteCount) else { throw Failure("the echo ended") }
                try work()
            }
        }
    }

    private func echoSocket(_ path: String) throws -> Int32 {
        if let echo, echo.path == path { return echo.socket }
        let socket = lk_socket_connect(path)
        guard socket >= 0 else { throw Failure("cannot reach \(path)") }
        echo = (path, socket)
        return socket
    }
}
