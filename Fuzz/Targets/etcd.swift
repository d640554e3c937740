import LatchkeyEtcdMessages

/// An answer of the gateway of etcd, or a line of a stream. A value that is read as base64 has one text.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let body = Array(UnsafeRawBufferPointer(start: start, count: count))
    if let bytes = Base64.bytes(of: body) {
        var again: [UInt8] = []
        Base64.append(bytes, to: &again)
        precondition(again == body, "a value has two texts")
    }
    guard (try? JSONReader.value(of: body)) != nil else {
        precondition((try? EtcdWatchMessage(body)) == nil, "what is not JSON is read as a message")
        return 0
    }
    for queries in 0...3 {
        guard let answer = try? EtcdTransactionAnswer(body, queries: queries) else { continue }
        precondition(answer.readings.count == (answer.isDone ? queries : 0), "an answer has another number of readings")
    }
    _ = try? EtcdWatchMessage(body)
    _ = try? EtcdRefusal(body)
    if let token = try? EtcdToken(body) {
        precondition(token.text.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "a token does not fit into a header")
    }
    return 0
}
