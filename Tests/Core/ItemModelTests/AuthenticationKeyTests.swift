import LatchkeyItemModel
import LatchkeyPropertyListDER
import Testing

@Suite("The keys of a query about asking a person")
struct AuthenticationKeyTests {
    private static let calls: [QueryGrammar.Call] = [.add, .find, .update, .delete]
    private static let context = PropertyValue.reference(kind: "LAContext", bytes: [])

    private func query(
        _ more: KeyValuePairs<String, PropertyValue>, for call: QueryGrammar.Call = .find
    ) throws(QueryRefusal) -> ItemQuery {
        try QueryGrammar.query(pairs(["class": .string("genp")]) + pairs(more), for: call)
    }

    @Test("a context is taken in every call", arguments: calls)
    func context(call: QueryGrammar.Call) throws {
        #expect(try query(["u_AuthCtx": Self.context], for: call).namesContext)
        #expect(try !query([:], for: call).namesContext)
    }

    @Test(
        "values that are not a context are refused",
        arguments: [
            .null, .boolean(true), .string("LAContext"), .data([]), .reference(kind: "SecKey", bytes: []),
            .reference(kind: "lacontext", bytes: []), .dictionary([:]),
        ] as [PropertyValue])
    func noContext(value: PropertyValue) {
        for call in Self.calls {
            let answer = Answer { () throws(QueryRefusal) in _ = try query(["u_AuthCtx": value], for: call) }
            #expect(answer == Answer(.authFailed, .noAuthenticationContext))
        }
    }

    @Test("a context and a credential together are one too many, in either order", arguments: calls)
    func contextAndCredential(call: QueryGrammar.Call) {
        let both = pairs(["class": .string("genp"), "u_AuthCtx": Self.context, "u_CredRef": .data([1])])
        for query in [both, both.reversed()] {
            let answer = Answer { () throws(QueryRefusal) in _ = try QueryGrammar.query(query, for: call) }
            #expect(answer == Answer(.param, .contextAndCredential))
        }
    }

    @Test("the reason of the query is kept as it is")
    func operationPrompt() throws {
        #expect(try query(["u_OpPrompt": .string("Überweisung")]).operationPrompt == "Überweisung")
        #expect(try query(["u_OpPrompt": .string("")]).operationPrompt?.isEmpty == true)
        #expect(try query([:]).operationPrompt == nil)
    }

    @Test(
        "each choice of user interface is understood",
        arguments: [("u_AuthUIA", ItemQuery.AuthenticationUI.allow), ("u_AuthUIF", .fail), ("u_AuthUIS", .skip)])
    func userInterface(name: String, choice: ItemQuery.AuthenticationUI) throws {
        #expect(try query(["u_AuthUI": .string(name), "u_AuthCtx": Self.context]).authenticationUI == choice)
    }

    @Test("not forbidding the user interface leaves it allowed")
    func notForbidden() throws {
        #expect(try query(["u_NoAuthUI": .boolean(false)]).authenticationUI == .allow)
        #expect(try query(["u_NoAuthUI": .boolean(true)]).authenticationUI == .fail)
    }
}
