import Foundation
import LatchkeyEtcdMessages
import LatchkeySecretMemory
import Testing

/// Questions as etcd's gateway reads them, and answers that Debian's etcd 3.4.23 gave.
@Suite("The messages of etcd's gateway")
struct EtcdMessageTests {
    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    private func object(_ body: [UInt8]) throws -> NSDictionary {
        try #require(try JSONSerialization.jsonObject(with: Data(body)) as? NSDictionary)
    }

    @Test("a transaction is written as JSON")
    func transaction() throws {
        let query = EtcdQuery(
            EtcdKeyRange(prefix: bytes("h/")), limit: 5, isOfKeysOnly: true, mayBeOld: true, changedSince: 9)
        let body = EtcdRequest.body(
            of: EtcdTransaction(
                conditions: [.init(bytes("a"), revision: 0), .init(bytes("b"), revision: 1 << 60)],
                operations: [.put(key: bytes("a"), value: [0, 255]), .remove(key: bytes("c")), .read(query)]))
        let expected = #"""
            {"compare":[{"target":"MOD","result":"EQUAL","key":"YQ==","mod_revision":"0"},
            {"target":"MOD","result":"EQUAL","key":"Yg==","mod_revision":"1152921504606846976"}],
            "success":[{"request_put":{"key":"YQ==","value":"AP8="}},{"request_delete_range":{"key":"Yw=="}},
            {"request_range":{"key":"aC8=","range_end":"aDA=","limit":"5","keys_only":true,"serializable":true,"min_mod_revision":"9"}}]}
            """#
        #expect(try object(body) == object(bytes(expected)))
        #expect(try object(EtcdRequest.body(of: EtcdTransaction())) == object(bytes(#"{"compare":[],"success":[]}"#)))
    }

    @Test("a watch is a question for each range")
    func watch() {
        let body = EtcdRequest.watch([EtcdKeyRange(prefix: bytes("h/")), EtcdKeyRange(bytes("s"))], from: 7)
        let expected =
            #"{"create_request":{"key":"aC8=","range_end":"aDA=","start_revision":"7","progress_notify":true,"fragment":true}}"#
            + #"{"create_request":{"key":"cw==","start_revision":"7","progress_notify":true,"fragment":true}}"#
        #expect(String(decoding: body, as: UTF8.self) == expected)
    }

    @Test("a password with any characters is that password")
    func authentication() throws {
        let password = "a\"\\\u{1}\u{1F}\n\u{7F}ä"
        let body = EtcdRequest.authentication(of: "us\"er", password: SecretBox(copying: bytes(password)))
        let found = try object(body.withBytes { Array($0) })
        #expect(found == ["name": "us\"er", "password": password] as NSDictionary)
    }

    @Test("an answer to a transaction is read")
    func answer() throws {
        let body = bytes(
            #"""
            {"header":{"cluster_id":"324952591200643719","member_id":"1","revision":"12","raft_term":"2"},"succeeded":true,
            "responses":[{"response_put":{"header":{"revision":"12"}}},{"response_range":{"header":{"revision":"12"},
            "kvs":[{"key":"YQ==","create_revision":"2","mod_revision":"5","version":"3","value":"AP8="}],"more":true,"count":"4"}},
            {"response_range":{"header":{"revision":"12"}}}]}
            """#)
        let answer = try EtcdTransactionAnswer(body, queries: 2)
        #expect(answer.revision == 12 && answer.isDone)
        #expect(answer.readings.map(\.isCut) == [true, false] && answer.readings[1].entries.isEmpty)
        let entry = try #require(answer.readings[0].entries.first)
        #expect(entry.key == bytes("a") && entry.value == [0, 255] && entry.revision == 5)
        #expect(throws: EtcdAnswerFailure.notAnAnswer) { try EtcdTransactionAnswer(body, queries: 1) }
        let refused = try EtcdTransactionAnswer(bytes(#"{"header":{"revision":"3"}}"#), queries: 2)
        #expect(!refused.isDone && refused.readings.isEmpty)
    }

    @Test(
        "an answer with a member of another kind is refused",
        arguments: [
            "[]", "{}", #"{"header":[]}"#, #"{"header":{"revision":3}}"#, #"{"header":{"revision":"+3"}}"#,
            #"{"header":{"revision":"99999999999999999999"}}"#,
            // There is no next one.
            #"{"header":{"revision":"9223372036854775807"}}"#, #"{"header":{"revision":"-1"}}"#,
            #"{"header":{"revision":"1"},"succeeded":true,"responses":[{"response_range":{"kvs":[{"mod_revision":"9223372036854775807"}]}}]}"#,
            #"{"header":{"revision":"1"},"header":{"revision":"2"}}"#,
            #"{"header":{"revision":"1"},"succeeded":"true"}"#,
            #"{"header":{"revision":"1"},"succeeded":true,"responses":{}}"#,
            #"{"header":{"revision":"1"},"succeeded":true,"responses":[1]}"#,
            #"{"header":{"revision":"1"},"succeeded":true,"responses":[{"response_range":{"kvs":[{"key":"A"}]}}]}"#,
            #"{"header":{"revision":"1"},"responses":[{"response_range":{}}]}"#,
        ])
    func malformed(_ text: String) {
        #expect(throws: EtcdAnswerFailure.self) { try EtcdTransactionAnswer(bytes(text), queries: 1) }
    }

    @Test("refusals of calls and of streams are read")
    func refusals() throws {
        let call = try EtcdRefusal(bytes(#"{"error":"etcdserver: x","message":"etcdserver: x","code":9}"#))
        #expect(call == EtcdRefusal(code: 9, text: "etcdserver: x"))
        let line = bytes(
            #"{"error":{"grpc_code":14,"http_code":503,"message":"etcdserver: no leader","http_status":"Service Unavailable"}}"#
        )
        #expect(try EtcdWatchMessage(line) == .refused(EtcdRefusal(code: 14, text: "etcdserver: no leader")))
        #expect(throws: EtcdAnswerFailure.wrongType) { try EtcdRefusal(bytes(#"{"error":"x","code":"9"}"#)) }
    }

    @Test("a watch tells what was written, and not what was removed")
    func news() throws {
        let line = bytes(
            #"""
            {"result":{"header":{"revision":"9"},"events":[{"kv":{"key":"YQ==","mod_revision":"8","value":"dg=="}},
            {"type":"DELETE","kv":{"key":"Yg==","mod_revision":"9"}}]}}
            """#)
        guard case .news(let news) = try EtcdWatchMessage(line) else { throw CocoaError(.coderInvalidValue) }
        #expect(news.revision == 9 && !news.isCreated && !news.isCancelled)
        #expect(news.changed.map(\.key) == [bytes("a")] && news.changed[0].revision == 8)
        let end = bytes(
            #"{"result":{"header":{"revision":"9"},"watch_id":"-1","created":true,"canceled":true,"cancel_reason":"no","compact_revision":"4"}}"#
        )
        guard case .news(let last) = try EtcdWatchMessage(end) else { throw CocoaError(.coderInvalidValue) }
        #expect(last.isCreated && last.isCancelled && last.reason == "no" && last.changed.isEmpty)
    }

    @Test("a token fits into a line of a header")
    func token() throws {
        #expect(try EtcdToken(bytes(#"{"header":{},"token":"abc.9"}"#)).text == "abc.9")
        let long = String(repeating: "a", count: EtcdToken.byteLimit + 1)
        for token in ["", #"a\r\nX: y"#, "a b", "ä", long] {
            #expect(throws: EtcdAnswerFailure.wrongType) { try EtcdToken(bytes("{\"token\":\"\(token)\"}")) }
        }
    }
}
