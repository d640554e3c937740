import LatchkeyEnclaveCore

/// A message to the enclave or from it: what is accepted is written as it was read.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let message = message(UnsafeRawBufferPointer(start: start, count: count))
    if let request = try? EnclaveMessageCodec.decodeRequest(body: message.body, secrets: message.secrets) {
        let again = EnclaveMessageCodec.encode(request)
        precondition(again.body == message.body && again.secrets.count == message.secrets.count)
    }
    if let reply = try? EnclaveMessageCodec.decodeReply(body: message.body, secrets: message.secrets) {
        let again = EnclaveMessageCodec.encode(reply)
        guard (try? EnclaveMessageCodec.decodeReply(body: again.body, secrets: again.secrets)) != nil else {
            preconditionFailure("the own answer is refused")
        }
    }
    return 0
}
