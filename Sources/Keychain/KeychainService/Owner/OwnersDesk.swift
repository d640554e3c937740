import LatchkeyKeychainMessages

/// The desk for questions about the owner's tool.
struct OwnersDesk: Sendable {
    let tools: OwnersTools
    let authority: OwnersAuthority
    let failures: CallFailures

    func answer(_ question: DescribeOwnersTool, _ caller: Caller) throws(DeviceRefusal) -> OwnersTool {
        try failures.journalling(question, by: caller) { () throws(Setback) in try tools.description(for: caller) }
    }

    func answer(_ question: AdoptTool, _ caller: Caller) throws(DeviceRefusal) -> Adoption {
        try authority.change(question, by: caller) { () throws(Setback) in
            try tools.adopt(caller, question.passcode)
        }
    }

    func answer(_ question: RevokeTools, _ caller: Caller) throws(DeviceRefusal) -> RemovedCount {
        try authority.change(question, by: caller) { () throws(Setback) in RemovedCount(try tools.revokeAll()) }
    }
}
