import LatchkeyEtcdStore
import LatchkeyEtcdTesting
import LatchkeySecretMemory
import LatchkeySyncCore
import LatchkeySyncStore
import LatchkeySyncStoreTesting
import LatchkeyTestSupport
import LatchkeyThreading
import Testing

/// Names, passwords, tokens and roles.
@Suite("A store in etcd with users")
struct EtcdUserTests {
    private let stage: EtcdStage
    private let root = ["--user", "root:secret"]

    init() throws {
        stage = EtcdStage(try EtcdCluster())
        let cluster = stage.cluster
        try cluster.control("user", "add", "root:secret")
        try cluster.control("role", "add", "latchkey")
        try cluster.control("role", "grant-permission", "latchkey", "--prefix=true", "readwrite", "/latchkey/")
        try cluster.control("user", "add", "anna:pa\"ss")
        try cluster.control("user", "grant-role", "anna", "latchkey")
    }

    private func enable() throws { try stage.cluster.control("auth", "enable") }
    private func control(_ words: String...) throws { try stage.cluster.control(root + words) }

    private func access(_ password: String = "pa\"ss", user: String = "anna") -> EtcdAccess {
        EtcdAccess(login: .init(user: user, password: SecretBox(copying: Array(password.utf8))))
    }

    private func create(_ number: UInt64, _ store: any SyncStore) throws(StoreFailure) {
        try store.create([stage.segment(number): SampleObjects.object(.segment, seed: number)])
    }

    @Test("takes a name and a password, also before and after the server asks for them") func password() throws {
        let store = try stage.store(nil, access())
        try create(1, store)
        try enable()
        try create(2, store)
        try control("auth", "disable")
        try create(3, store)
        try enable()
        try create(4, store)
        #expect(try store.list(.segments(StreamIdentifier(stage.one, .c))).names.count == 4)
    }

    @Test("refuses a wrong password, an unknown name, and none") func wrong() throws {
        try enable()
        for access in [access("wrong"), access(user: "berta"), EtcdAccess()] {
            let store = try stage.store(nil, access)
            #expect(throws: StoreFailure.refused(.credentials)) { try create(1, store) }
            #expect(throws: StoreFailure.refused(.credentials)) {
                try store.waitForHint(until: Cancellation(seconds: 0))
            }
        }
    }

    @Test("a token that ended is replaced, for calls and for watches") func tokens() throws {
        try enable()
        let (store, reader) = (try stage.store(nil, access()), try stage.store(stage.other, access()))
        try create(1, store)
        #expect(try reader.waitForHint(until: Cancellation(seconds: 0)) == .changed)
        // The server keeps its tokens in memory.
        stage.cluster.servers[0].stop()
        try stage.cluster.restart(stage.cluster.servers[0])
        try create(2, store)
        let wait = Pending { try? reader.waitForHint(until: Cancellation()) }
        _ = try store.publish([:], head: SampleObjects.object(.head), replacing: nil)
        #expect(wait.value == .changed)
    }

    @Test(
        "a token of before a restore from a snapshot, for which the server waits, is replaced, for calls and for watches"
    )
    func restored() throws {
        try enable()
        let copy = stage.cluster.servers[0].directory.path("copy")
        try control("snapshot", "save", copy)
        try stage.restore(copy, access(), root)
    }

    @Test("tokens of a second do not disturb calls and watches") func shortTokens() throws {
        let stage = EtcdStage(try EtcdCluster("--auth-token-ttl", "1"))
        for words in [
            ["user", "add", "root:secret"], ["role", "add", "latchkey"],
            ["role", "grant-permission", "latchkey", "--prefix=true", "readwrite", "/latchkey/"],
            ["user", "add", "anna:pa\"ss"], ["user", "grant-role", "anna", "latchkey"], ["auth", "enable"],
        ] {
            try stage.cluster.control(words)
        }
        let (store, reader) = (try stage.store(nil, access()), try stage.store(stage.other, access()))
        #expect(try reader.waitForHint(until: Cancellation(seconds: 0)) == .changed)
        // The wait is as long as three tokens, and nothing happens in it.
        #expect(try reader.waitForHint(until: Cancellation(seconds: 3)) == .none)
        _ = try store.publish([:], head: SampleObjects.object(.head), replacing: nil)
        #expect(try reader.waitForHint(until: Cancellation()) == .changed)
        #expect(try reader.list(.heads).names == [.head(stage.one)])
    }

    @Test("a role that is taken away refuses, and is there again when it is given back") func revoked() throws {
        try enable()
        let store = try stage.store(nil, access())
        try create(1, store)
        try control("user", "revoke-role", "anna", "latchkey")
        #expect(throws: StoreFailure.refused(.permission)) { try create(2, store) }
        #expect(throws: StoreFailure.refused(.permission)) { try store.list(.heads) }
        #expect(throws: StoreFailure.refused(.permission)) { try store.waitForHint(until: Cancellation(seconds: 0)) }
        try control("user", "grant-role", "anna", "latchkey")
        try create(2, store)
    }

    @Test("a device with a role of its own writes its objects, and no other's") func ownRole() throws {
        let circle = "/latchkey/\(EtcdStage.circle)/"
        let cluster = stage.cluster
        try cluster.control("role", "add", "one")
        try cluster.control("role", "grant-permission", "one", "--prefix=true", "read", "/latchkey/")
        try cluster.control("role", "grant-permission", "one", "readwrite", circle + "h/\(stage.one)")
        for prefix in ["a/\(stage.one)/", "c/\(stage.one)/", "n/\(stage.one)/", "s/", "q/", "e/"] {
            try cluster.control("role", "grant-permission", "one", "--prefix=true", "readwrite", circle + prefix)
        }
        try cluster.control("user", "add", "one:x")
        try cluster.control("user", "grant-role", "one", "one")
        try enable()
        let store = try stage.store(nil, access("x", user: "one"))
        let objects = SampleObjects.ofEachKind(by: stage.one)
        let mark = try store.publish(objects, head: SampleObjects.object(.head), replacing: nil)
        _ = try store.publish([:], head: SampleObjects.object(.head, seed: 2), replacing: mark)
        #expect(try store.waitForHint(until: Cancellation(seconds: 0)) == .changed)
        #expect(try stage.circles(access("x", user: "one")).circles() == [EtcdStage.circle])
        let foreign = SampleObjects.segment(1, of: stage.other)
        #expect(throws: StoreFailure.refused(.permission)) {
            try store.create([foreign: SampleObjects.object(.segment)])
        }
        #expect(throws: StoreFailure.refused(.permission)) { try store.remove([.head(stage.other)]) }
        try store.remove(Array(objects.keys))
        let other = try stage.store(stage.other, access("x", user: "one"))
        #expect(throws: StoreFailure.refused(.permission)) {
            try other.publish([:], head: SampleObjects.object(.head), replacing: nil)
        }
    }
}
