import ItemModel
import KeychainMessages

/// The keychain of a device for one app: fails what the test wants to fail, and looks at every call like a reviewer.
struct WatchedKeychain: Keychain {
    let stage: any DeviceStage
    let calls: CallWatch
    let caller: Caller

    func perform(_ request: ItemRequest) -> ItemReply {
        if let status = calls.takePlanned(KeychainCall(request.operation)) {
            return ItemReply(
                code: ResultCode(rawValue: status),
                refusal: Refusal(
                    rule: "planned-failure", reason: "The test planned this failure with failNext.",
                    advice: "Handle it as if the device had refused."))
        }
        let reply = stage.keychain(for: caller).perform(request)
        let flaws = Review.flaws(of: request, reply)
        if !flaws.isEmpty {
            let place = CapturedCall.here()
            calls.note(flaws.map { Observation(flaw: $0, app: caller.name, place: place) })
        }
        return reply
    }

    func perform(_ request: DeviceRequest) -> DeviceReply {
        stage.keychain(for: caller).perform(request)
    }
}
